/** @param {string} coded base64 @returns {Uint8Array} */
function bytesOf(coded) {
  return Uint8Array.from(atob(coded), (letter) => letter.charCodeAt(0))
}

/** @param {Uint8Array} data @returns {{head: object, body: Uint8Array}} */
function messageOf(data) {
  const size = new DataView(data.buffer, data.byteOffset, 4).getUint32(0, true)
  return { head: JSON.parse(new TextDecoder().decode(data.subarray(4, 4 + size))), body: data.subarray(4 + size) }
}

/** The page around the viewer: one slider that moves among chunkings made beforehand. */
class Report {
  /** @param {object} data */
  constructor(data) {
    this.data = data
    this.at = data.at
    const host = document.getElementById("viewer")
    this.root = host.attachShadow({ mode: "open" })
    const style = document.createElement("style")
    style.textContent = VIEWER_STYLE
    this.root.append(style)
    this.source = bytesOf(data.document)
    this.mount()
    this.addFigureButtons()
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
      this.mount()
      this.drawCurve()
    })
    if (data.curve) this.listen()
    this.show(this.at)
  }

  /** Run the viewer, or tell it that the theme changed. */
  mount() {
    mount({ data: this.source, parentElement: this.root, setStateValue: () => {} })
  }

  /** Let curve, histogram and bar codes be saved, as they look. */
  addFigureButtons() {
    const paper = () => getComputedStyle(document.documentElement).getPropertyValue("--st-background-color").trim()
    const drawn = (holder, words) => () => {
      const frame = holder.getBoundingClientRect()
      return svgOfDrawings(holder.querySelectorAll("svg"), frame, paper(), svgOfWords(holder.querySelectorAll(words), frame))
    }
    const add = (place, draw, name, figure) => place.append(figureButtons(draw, () => name, figure))
    const [histogram, strips] = ["histogram", "strips"].map((id) => document.getElementById(id))
    add(histogram.parentElement, drawn(histogram, ".note"), "tokens-in-a-chunk", "tokens in a chunk")
    add(strips.parentElement, drawn(strips, "span"), "where-chunks-begin", "where chunks begin")
    if (!this.data.curve) return
    const svgOfCurve = () => {
      const { clientWidth, clientHeight } = this.picture
      const canvas = svgCanvas(clientWidth, clientHeight)
      this.drawCurveOn(canvas)
      return svgPage(clientWidth, clientHeight, paper(), canvas.context.toString())
    }
    add(document.querySelector("section.curve"), svgOfCurve, "similarity-curve", "similarity curve")
  }

  /** Handlers of the slider and the picture above it. */
  listen() {
    const [slider, picture, reset] = ["threshold", "curve", "reset"].map((id) => document.getElementById(id))
    Object.assign(this, { slider, picture })
    slider.max = this.data.steps.length - 1
    slider.oninput = () => this.show(Number(slider.value))
    reset.onclick = () => this.show(this.data.at)
    const { similarities, embedder } = this.data.curve
    const [least, most] = extremesOf(similarities)
    const air = Math.max(0.02, (most - least) * 0.08)
    Object.assign(this, { low: least - air, high: most + air })
    document.getElementById("embedder").textContent =
      `${grouped(similarities.length + 1)} segments, compared by ${embedder}. A chunk may end where the curve lies below the line; ` +
      "every position of the slider is a chunking made by the library."
    const drag = (event) => {
      const box = picture.getBoundingClientRect()
      const share = (event.clientY - box.top - PLOT.top) / (box.height - PLOT.top - PLOT.bottom)
      this.show(this.nearest(this.high - share * (this.high - this.low)))
    }
    picture.onpointerdown = (event) => {
      picture.setPointerCapture(event.pointerId)
      drag(event)
    }
    picture.onpointermove = (event) => {
      if (picture.hasPointerCapture(event.pointerId)) drag(event)
    }
    new ResizeObserver(() => this.drawCurve()).observe(picture)
  }

  /** @param {number} threshold @returns {number} the step nearest to it */
  nearest(threshold) {
    const distance = (step) => Math.abs(this.data.steps[step].threshold - threshold)
    return this.data.steps.reduce((best, _, step) => (distance(step) < distance(best) ? step : best), 0)
  }

  /** @param {number} step */
  show(step) {
    this.at = step
    const { boundaries, numbers, fidelity, threshold } = this.data.steps[step]
    const entry = chunkvizViewers.get("viewer")
    this.message = messageOf(bytesOf(boundaries))
    entry.inbox.set("boundaries", this.message)
    entry.stage.receive("boundaries")
    const list = document.getElementById("numbers")
    list.replaceChildren(
      ...Object.entries(numbers).map(([label, value]) => {
        const pair = document.createElement("div")
        pair.append(made("dt", "", label), made("dd", "", value))
        return pair
      }),
    )
    const verdict = document.getElementById("verdict")
    verdict.textContent = fidelity.verdict
    verdict.className = fidelity.complete ? "good" : "bad"
    document.getElementById("fidelity").textContent = fidelity.facts
    this.drawHistogram(this.message)
    if (!this.slider) return
    this.slider.value = step
    this.slider.setAttribute("aria-valuetext", `similarity ${threshold.toFixed(3)}, ${numbers.Chunks} chunks`)
    document.getElementById("value").textContent = threshold.toFixed(3)
    this.drawCurve()
  }

  /** The similarities, extremes kept, with the threshold; drawn anew each time. */
  drawCurve() {
    if (this.picture) this.drawCurveOn(this.picture)
  }

  /** @param {HTMLCanvasElement} canvas or what takes its place in a file */
  drawCurveOn(canvas) {
    const { clientWidth: width, clientHeight: height } = canvas
    if (!width) return
    const scale = devicePixelRatio || 1
    Object.assign(canvas, { width: width * scale, height: height * scale })
    const context = canvas.getContext("2d")
    context.scale(scale, scale)
    const style = getComputedStyle(document.documentElement)
    const colour = (name) => style.getPropertyValue(name).trim()
    const right = width - PLOT.right
    const y = (value) => PLOT.top + ((this.high - value) / (this.high - this.low)) * (height - PLOT.top - PLOT.bottom)
    context.font = `12px ${colour("--st-font")}`
    context.lineWidth = 1
    for (const tick of ticksBetween(this.low, this.high)) {
      context.strokeStyle = colour("--st-border-color")
      context.fillStyle = colour("--st-text-color")
      context.beginPath()
      context.moveTo(PLOT.left, y(tick))
      context.lineTo(right, y(tick))
      context.stroke()
      context.fillText((tick + 0).toFixed(2).replace("-0.00", "0.00"), 4, y(tick) + 4)
    }
    const { similarities, ends } = this.data.curve
    const length = ends[ends.length - 1] || 1
    const points = decimated(similarities, Math.max(200, Math.round(width)))
    context.strokeStyle = colour("--bar")
    context.beginPath()
    for (const point of points) context.lineTo(PLOT.left + (ends[point] / length) * (right - PLOT.left), y(similarities[point]))
    context.stroke()
    const { threshold } = this.data.steps[this.at]
    context.strokeStyle = context.fillStyle = colour("--line")
    context.lineWidth = 2
    context.beginPath()
    context.moveTo(PLOT.left, y(threshold))
    context.lineTo(right, y(threshold))
    context.stroke()
    context.fillText(threshold.toFixed(3), right - 36, y(threshold) - 6)
  }

  /** Bars of round width; words beside them. @param {{head: object, body: Uint8Array}} message */
  async drawHistogram(message) {
    const numbers = new NumberReader(await bodyOf(message))
    const { count } = message.head
    numbers.column(count)
    numbers.column(count)
    const tokens = numbers.column(count)
    if (this.message !== message) return
    const holder = document.getElementById("histogram")
    if (!count) return holder.replaceChildren()
    const { first, width, heights } = binned(tokens)
    const most = Math.max(...heights)
    const svg = shape("svg", { viewBox: "0 0 1000 220", preserveAspectRatio: "none" })
    const across = 1000 / heights.length
    heights.forEach((height, bin) => {
      const tall = (height / most) * 190
      const bar = shape("rect", { x: bin * across + across * 0.04, y: 200 - tall, width: across * 0.92, height: tall })
      const title = shape("title", {})
      title.textContent = `${grouped((first + bin) * width)} to ${grouped((first + bin + 1) * width - 1)} tokens: ${counted(height, "chunk")}`
      bar.append(title)
      svg.append(bar)
    })
    svg.append(shape("line", { x1: 0, x2: 1000, y1: 200, y2: 200 }))
    const legend = made("p", "note", `${grouped(first * width)} to ${grouped((first + heights.length) * width - 1)} tokens, ` +
      `${counted(width, "token")} a bar; the highest bar holds ${counted(most, "chunk")}.`)
    holder.setAttribute("aria-label", legend.textContent)
    return holder.replaceChildren(svg, legend)
  }
}

const PLOT = { left: 40, right: 8, top: 16, bottom: 8 }

/** @param {string} name @param {object} attributes @returns {SVGElement} */
function shape(name, attributes) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name)
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value)
  return element
}

/** @param {number[]} values @returns {[number, number]} */
function extremesOf(values) {
  return values.reduce(([low, high], value) => [Math.min(low, value), Math.max(high, value)], [Infinity, -Infinity])
}

/** Four or so round values. @param {number} low @param {number} high @returns {number[]} */
function ticksBetween(low, high) {
  const step = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1].find((each) => (high - low) / each <= 5) ?? 1
  const first = Math.ceil(low / step)
  return Array.from({ length: Math.floor(high / step) - first + 1 }, (_, place) => (first + place) * step)
}

/** Places of the least and greatest value in each stretch. @param {number[]} values @param {number} stretches @returns {number[]} */
function decimated(values, stretches) {
  if (values.length <= stretches * 2) return values.map((_, place) => place)
  const kept = []
  for (let stretch = 0; stretch < stretches; stretch++) {
    const from = Math.floor((stretch * values.length) / stretches)
    const to = Math.floor(((stretch + 1) * values.length) / stretches)
    let [low, high] = [from, from]
    for (let place = from; place < to; place++) {
      if (values[place] < values[low]) low = place
      if (values[place] > values[high]) high = place
    }
    kept.push(Math.min(low, high), Math.max(low, high))
  }
  return kept
}

/** At most 30 bars of a round whole width, as the app draws them. @param {Uint32Array} tokens */
function binned(tokens) {
  const [low, high] = extremesOf(tokens)
  let width = 1
  for (let power = 1; ; power *= 10) {
    width = [1, 2, 5].map((factor) => factor * power).find((each) => Math.floor(high / each) - Math.floor(low / each) < 30)
    if (width) break
  }
  const first = Math.floor(low / width)
  const heights = new Array(Math.floor(high / width) - first + 1).fill(0)
  for (const count of tokens) heights[Math.floor(count / width) - first]++
  return { first, width, heights }
}

new Report(JSON.parse(document.getElementById("data").textContent))
