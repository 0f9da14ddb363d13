/** Room round the curve, in pixels. */
const EDGE = { left: 44, right: 58, top: 10, bottom: 34 }
/** How far a mark reaches beyond its place: it is drawn whole at the edges of the plot, too. */
const MARK = 7
/** Height of the strip of chunks below the curve, and of the overview below that when zoomed. */
const STRIP = 12
/** Points nearer to each other than this many pixels are not marked one by one. */
const CROWDED = 5

/** Draws the curve on two canvases: what stays while the line moves, and what moves with it. */
class Picture {
  /** @param {HTMLCanvasElement} still @param {HTMLCanvasElement} moving */
  constructor(still, moving) {
    this.still = still
    this.moving = moving
    this.measure()
  }

  /** Read the size from the page, once a drawing: asked for at each point, it would cost more than the point. */
  measure() {
    this.width = this.still.clientWidth
    this.height = this.still.clientHeight
  }

  /** Take a new curve. @param {object} head @param {Record<string, ArrayLike<number>>} columns */
  show(head, columns) {
    this.gradient = head.mode === "gradient"
    this.similarities = columns.similarities
    this.signal = columns.signal ?? columns.similarities
    this.allowed = columns.allowed
    this.places = columns.segmentEnds
    this.length = Math.max(1, columns.segmentEnds[columns.segmentEnds.length - 1] ?? 1)
    const [least, most] = extremes(this.signal)
    const air = Math.max(0.02, (most - least) * 0.1)
    Object.assign(this, { low: least - air, high: most + air, from: 0, to: this.length })
  }

  /** Make room for a threshold that lies outside what the curve needs. @param {number | null} threshold */
  include(threshold) {
    if (threshold === null || !this.signal.length) return
    const [least, most] = extremes(this.signal)
    const air = Math.max(0.02, (most - least) * 0.1)
    // A line far above the curve would flatten it; it is drawn at the edge instead.
    const far = (most - least) * 1.5 + 0.1
    this.low = Math.min(least, Math.max(threshold, least - far)) - air
    this.high = Math.max(most, Math.min(threshold, most + far)) + air
  }

  /** @param {number} value @returns {number} pixel */
  y(value) {
    const share = (this.high - value) / (this.high - this.low)
    return EDGE.top + Math.min(1, Math.max(0, share)) * (this.height - EDGE.top - EDGE.bottom)
  }

  /** @param {number} pixel @returns {number} value */
  valueAt(pixel) {
    const share = (pixel - EDGE.top) / (this.height - EDGE.top - EDGE.bottom)
    return this.high - Math.min(1, Math.max(0, share)) * (this.high - this.low)
  }

  /** @param {number} offset in the document @returns {number} pixel */
  x(offset) {
    return EDGE.left + ((offset - this.from) / (this.to - this.from)) * (this.width - EDGE.left - EDGE.right)
  }

  /** @param {number} pixel @returns {number} offset */
  offsetAt(pixel) {
    return this.from + ((pixel - EDGE.left) / (this.width - EDGE.left - EDGE.right)) * (this.to - this.from)
  }

  get zoomed() {
    return this.from > 0 || this.to < this.length
  }

  /** Zoom about an offset. @param {number} factor below 1 zooms in @param {number} about */
  zoom(factor, about) {
    const span = Math.min(this.length, Math.max(40, (this.to - this.from) * factor))
    const share = (about - this.from) / (this.to - this.from)
    this.move(about - share * span, span)
  }

  /** @param {number} from @param {number} span */
  move(from, span = this.to - this.from) {
    this.from = Math.min(Math.max(0, from), this.length - span)
    this.to = this.from + span
  }

  /** Places (of pairs of segments) in sight, one more on either side. @returns {[number, number]} first, behind the last */
  inSight() {
    const first = Math.max(0, lowerBound(this.places, this.from) - 1)
    const behind = Math.min(this.signal.length, lowerBound(this.places, this.to) + 2)
    return [first, Math.max(first, behind)]
  }

  /** @param {HTMLCanvasElement} canvas @returns {CanvasRenderingContext2D} cleared and scaled */
  fresh(canvas) {
    const scale = devicePixelRatio || 1
    const [wide, tall] = [Math.round(canvas.clientWidth * scale), Math.round(canvas.clientHeight * scale)]
    if (canvas.width !== wide || canvas.height !== tall) Object.assign(canvas, { width: wide, height: tall })
    const context = canvas.getContext("2d")
    context.setTransform(scale, 0, 0, scale, 0, 0)
    context.clearRect(0, 0, canvas.clientWidth, canvas.clientHeight)
    return context
  }

  /** Axis, curve and points. @param {object} colours */
  drawStill(colours) {
    const context = this.fresh(this.still)
    const right = this.width - EDGE.right
    context.font = `12px ${colours.font}`
    context.textBaseline = "middle"
    for (const tick of ticksBetween(this.low, this.high)) {
      context.fillStyle = context.strokeStyle = colours.grid
      context.fillRect(EDGE.left, Math.round(this.y(tick)), right - EDGE.left, 1)
      context.fillStyle = colours.text
      context.textAlign = "right"
      context.fillText(tick.text, EDGE.left - 8, this.y(tick))
    }
    context.save()
    context.beginPath()
    context.rect(EDGE.left, 0, right - EDGE.left, this.height)
    context.clip()
    if (this.gradient) this.drawLine(context, this.similarities, this.scaled(this.similarities), colours.faint, [3, 3])
    this.drawLine(context, this.signal, (value) => this.y(value), colours.curve, [])
    context.restore()
  }

  /** A scale of its own, over the same height: for orientation, not for reading. @param {ArrayLike<number>} values */
  scaled(values) {
    const [least, most] = extremes(values)
    const tall = this.height - EDGE.top - EDGE.bottom
    return (value) => EDGE.top + ((most - value) / (most - least || 1)) * tall
  }

  /** @param {CanvasRenderingContext2D} context @param {ArrayLike<number>} values @param {(value: number) => number} y */
  drawLine(context, values, y, colour, dash) {
    const [first, behind] = this.inSight()
    context.strokeStyle = colour
    context.lineWidth = 1.25
    context.setLineDash(dash)
    context.beginPath()
    for (const place of kept(values, first, behind, Math.max(100, Math.round(this.width)))) {
      context.lineTo(this.x(this.places[place]), y(values[place]))
    }
    context.stroke()
    context.setLineDash([])
    if ((behind - first) * CROWDED > this.width) return
    context.fillStyle = colour
    for (let place = first; place < behind; place++) {
      context.beginPath()
      context.arc(this.x(this.places[place]), y(values[place]), 2, 0, 7)
      context.fill()
    }
  }

  /**
   * The line, the boundaries it makes, the chunks below, what is selected.
   * @param {object} colours
   * @param {{threshold: number | null, found: object, selected: [number, number] | null, pointed: number}} state
   */
  drawMoving(colours, { threshold, figure = threshold, found, selected, pointed }) {
    const context = this.fresh(this.moving)
    const right = this.width - EDGE.right
    const bottom = this.height - EDGE.bottom
    context.save()
    context.beginPath()
    context.rect(EDGE.left, 0, right - EDGE.left, this.height)
    context.clip()
    if (selected) {
      const [left, end] = selected.map((offset) => this.x(offset))
      context.fillStyle = colours.selected
      context.fillRect(left, EDGE.top, Math.max(2, end - left), bottom - EDGE.top + STRIP + 4)
    }
    this.drawStrip(context, found, bottom + 4, colours)
    context.restore()
    context.save()
    context.beginPath()
    context.rect(EDGE.left - MARK, 0, right - EDGE.left + 2 * MARK, this.height)
    context.clip()
    this.drawMarks(context, found, bottom, colours)
    if (pointed >= 0) {
      context.strokeStyle = colours.text
      context.lineWidth = 1.5
      context.beginPath()
      context.arc(this.x(this.places[pointed]), this.y(this.signal[pointed]), 6, 0, 7)
      context.stroke()
    }
    context.restore()
    if (this.zoomed) this.drawOverview(context, this.height - 10, colours)
    if (threshold !== null) this.drawThreshold(context, threshold, figure, right, colours)
  }

  /** @param {CanvasRenderingContext2D} context @param {number} threshold where the line is @param {number} figure what it is called */
  drawThreshold(context, threshold, figure, right, colours) {
    const y = this.y(threshold)
    context.strokeStyle = context.fillStyle = colours.line
    context.lineWidth = 2
    context.beginPath()
    context.moveTo(EDGE.left, y)
    context.lineTo(right, y)
    context.stroke()
    context.beginPath()
    context.roundRect(right + 1, y - 10, EDGE.right - 5, 20, 5)
    context.fill()
    context.fillStyle = colours.onLine
    context.textAlign = "center"
    context.textBaseline = "middle"
    context.font = `600 12px ${colours.font}`
    context.fillText(figure.toFixed(3), right + EDGE.right / 2 - 1, y + 0.5)
  }

  /** Boundaries: cut, held back, forced by size, joined away. Each has a shape of its own. */
  drawMarks(context, found, bottom, colours) {
    const some = (places, draw) => {
      for (const place of places) draw(this.x(this.places[place]), this.y(this.signal[place]))
    }
    const uncrowded = (places) => (this.crowded(places) ? [] : this.sighted(places))
    const cuts = this.sighted(found.cuts)
    const dots = uncrowded(found.cuts)
    context.lineWidth = 1
    context.fillStyle = context.strokeStyle = colours.cut
    context.globalAlpha = dots.length ? 0.45 : 0.25
    // One path for all, and of lines on one pixel the longest: thousands of strokes would outlast the frame.
    context.beginPath()
    let [column, top] = [null, 0]
    const upright = () => {
      context.moveTo(column, top)
      context.lineTo(column, bottom)
    }
    some(cuts, (x, y) => {
      const pixel = Math.round(2 * x) / 2
      if (pixel === column) {
        top = Math.min(top, y)
        return
      }
      if (column !== null) upright()
      ;[column, top] = [pixel, y]
    })
    if (column !== null) upright()
    context.stroke()
    context.globalAlpha = 1
    some(dots, (x, y) => {
      context.beginPath()
      context.arc(x, y, 4, 0, 7)
      context.fill()
    })
    context.lineWidth = 1.5
    some(uncrowded(found.held), (x, y) => {
      context.strokeStyle = colours.held
      context.fillStyle = colours.paper
      context.beginPath()
      context.arc(x, y, 4, 0, 7)
      context.fill()
      context.stroke()
    })
    some(uncrowded(found.joined), (x, y) => {
      context.strokeStyle = colours.held
      context.beginPath()
      context.moveTo(x - 4, y - 4)
      context.lineTo(x + 4, y + 4)
      context.moveTo(x + 4, y - 4)
      context.lineTo(x - 4, y + 4)
      context.stroke()
    })
    context.fillStyle = colours.forced
    for (let index = 0; index < found.forced.length; index++) {
      if (!found.forced[index] || found.ends[index] < this.from || found.ends[index] > this.to) continue
      const x = this.x(found.ends[index])
      context.beginPath()
      context.moveTo(x, bottom - 8)
      context.lineTo(x + 4, bottom - 3)
      context.lineTo(x, bottom + 2)
      context.lineTo(x - 4, bottom - 3)
      context.fill()
    }
  }

  /** @param {number[]} places sorted @returns {boolean} whether there are too many in sight for a sign each */
  crowded(places) {
    return this.sighted(places).length * CROWDED > this.width
  }

  /** @param {number[]} places sorted @returns {number[]} those in sight */
  sighted(places) {
    const [first, behind] = this.inSight()
    return places.slice(lowerBound(places, first), lowerBound(places, behind))
  }

  /** Chunks as bands in the colours they have in the text. */
  drawStrip(context, found, top, colours) {
    const { starts, ends } = found
    const first = Math.max(0, lowerBound(ends, this.from))
    let drawn = -1
    for (let index = first; index < starts.length && starts[index] <= this.to; index++) {
      const left = this.x(starts[index])
      const wide = Math.max(1, this.x(ends[index]) - left - 1)
      if (left + wide < drawn + 0.5) continue
      drawn = left + wide
      context.fillStyle = colours.hues[index % HUES]
      context.fillRect(left, top, wide, STRIP)
    }
  }

  /** Where in the document the window lies. */
  drawOverview(context, top, colours) {
    const wide = this.width - EDGE.left - EDGE.right
    context.fillStyle = colours.grid
    context.fillRect(EDGE.left, top, wide, 5)
    context.fillStyle = colours.curve
    const left = EDGE.left + (this.from / this.length) * wide
    context.fillRect(left, top, Math.max(6, ((this.to - this.from) / this.length) * wide), 5)
  }

  /** The point nearest to a place on the screen, or -1. @param {number} x @param {number} y @returns {number} */
  nearest(x, y) {
    const [first, behind] = this.inSight()
    let [best, least] = [-1, 14 * 14]
    const at = lowerBound(this.places, this.offsetAt(x))
    for (let place = Math.max(first, at - 40); place < Math.min(behind, at + 40); place++) {
      const distance = (this.x(this.places[place]) - x) ** 2 + ((this.y(this.signal[place]) - y) ** 2) / 4
      if (distance < least) [best, least] = [place, distance]
    }
    return best
  }
}

/** @param {ArrayLike<number>} values @returns {[number, number]} */
function extremes(values) {
  let [low, high] = [Infinity, -Infinity]
  for (let at = 0; at < values.length; at++) {
    if (values[at] < low) low = values[at]
    if (values[at] > high) high = values[at]
  }
  return values.length ? [low, high] : [0, 1]
}

/** Places of the least and the greatest value in each stretch. @returns {number[]} */
function kept(values, first, behind, stretches) {
  const count = behind - first
  if (count <= stretches * 2) return Array.from({ length: count }, (_, step) => first + step)
  const found = []
  for (let stretch = 0; stretch < stretches; stretch++) {
    const from = first + Math.floor((stretch * count) / stretches)
    const to = first + Math.floor(((stretch + 1) * count) / stretches)
    let [low, high] = [from, from]
    for (let place = from; place < to; place++) {
      if (values[place] < values[low]) low = place
      if (values[place] > values[high]) high = place
    }
    found.push(Math.min(low, high), Math.max(low, high))
  }
  return found
}

/** Five or so round values between two, with their text. @returns {(Number & {text: string})[]} */
function ticksBetween(low, high) {
  const step = [0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1].find((each) => (high - low) / each <= 6) ?? 1
  const digits = step < 0.01 ? 3 : 2
  const first = Math.ceil(low / step)
  return Array.from({ length: Math.floor(high / step) - first + 1 }, (_, at) => {
    const value = (first + at) * step
    return Object.assign(new Number(value), { text: (Math.abs(value) < 1e-9 ? 0 : value).toFixed(digits) })
  })
}
