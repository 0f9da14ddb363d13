/** Pixels from the line within which it is taken hold of. */
const GRIP = 9
const LETTERS = 90

/** The curve: joins rule and picture, moves the viewer's boundaries, and tells Python what was chosen. */
class Curve {
  /** @param {ShadowRoot} root */
  constructor(root) {
    this.root = root
    this.element = made("div", "curve")
    this.element.innerHTML = CURVE_SKELETON
    root.append(this.element)
    const part = (name) => this.element.querySelector(`.${name}`)
    this.parts = Object.fromEntries(
      ["plot", "still", "moving", "grip", "tooltip", "value", "said", "bars", "legend", "closer", "wider", "whole", "live"].map((name) => [name, part(name)]),
    )
    this.picture = new Picture(this.parts.still, this.parts.moving)
    this.bodies = {}
    this.serial = 0
    this.pointed = -1
    this.preview = null
    this.listen()
    addFigureButtons(this)
    this.watcher = new ResizeObserver(() => this.draw())
    this.watcher.observe(this.parts.plot)
  }

  /** Handlers of the elements. */
  listen() {
    const { plot, closer, wider, whole } = this.parts
    plot.onpointerdown = (event) => this.press(event)
    plot.onpointermove = (event) => this.hover(event)
    plot.onpointerup = (event) => this.release(event)
    plot.onpointercancel = () => this.letGo(false)
    plot.onpointerleave = () => this.point(-1)
    plot.onkeydown = (event) => this.key(event)
    plot.onblur = () => {
      this.point(-1)
      this.commitSoon(0)
    }
    plot.addEventListener("wheel", (event) => this.wheel(event), { passive: false })
    closer.onclick = () => this.zoom(0.5)
    wider.onclick = () => this.zoom(2)
    whole.onclick = () => this.zoom(Infinity)
  }

  /** One run of the component. */
  update(component, head) {
    this.tell = component.setTriggerValue
    this.name = head.viewer
    const style = getComputedStyle(this.root.host ?? this.root)
    const variable = (name, otherwise) => style.getPropertyValue(name).trim() || otherwise
    const paper = variable("--st-background-color", "#fff")
    const dark = isDark(paper)
    const palette = dark ? PALETTES.dark : PALETTES.light
    this.element.dataset.theme = dark ? "dark" : "light"
    this.colours = {
      paper,
      text: variable("--st-text-color", "#262730"),
      font: variable("--st-font", "sans-serif"),
      grid: variable("--st-border-color", "#dfe2ea"),
      curve: dark ? "#8ba9f5" : "#4a73d9",
      faint: dark ? "#7d8699" : "#9aa3b5",
      line: palette.focusLine,
      onLine: dark ? "#12141a" : "#fff",
      cut: palette.lines[0],
      held: dark ? "#b3bac8" : "#5b6475",
      forced: palette.lines[1],
      selected: `rgba(${palette.hues[1]}, 0.16)`,
      hues: palette.hues.map((hue) => `rgba(${hue}, ${dark ? 0.75 : 0.65})`),
    }
    for (const [name, colour] of Object.entries({ cut: this.colours.cut, held: this.colours.held, forced: this.colours.forced })) {
      this.element.style.setProperty(`--${name}`, colour)
    }
    this.draw()
  }

  /** Take a message out of the inbox. @param {"curve" | "state"} kind */
  async receive(kind) {
    const message = this.inbox?.get(kind)
    if (!message || this.bodies[kind]?.message === message) return
    this.awaited = { ...this.awaited, [kind]: message }
    const body = await bodyOf(message)
    if (this.awaited[kind] !== message || this.gone) return
    this.bodies[kind] = { message, head: message.head, body }
    if (kind === "curve") this.showCurve(message.head, body)
    if (kind === "state") this.preview = null
    this.meet()
  }

  /** @param {object} head @param {Uint8Array} body */
  showCurve(head, body) {
    const columns = {}
    let at = 0
    const makes = { float32: Float32Array, int32: Int32Array, uint8: Uint8Array }
    for (const [name, type, count] of head.columns) {
      const bytes = count * makes[type].BYTES_PER_ELEMENT
      columns[name] = new makes[type](body.slice(at, at + bytes).buffer)
      at += bytes + ((4 - (bytes % 4)) % 4)
    }
    this.head = head
    this.columns = columns
    this.rule = head.movable ? new Rule(head, columns) : null
    this.pointed = -1
    this.parts.tooltip.hidden = true
    this.picture.show(head, columns)
    this.drawLegend()
  }

  /** Bring together curve and state of one document. */
  meet() {
    const { curve, state } = this.bodies
    if (!curve || !state || state.head.document !== curve.head.document) return
    const columns = ["starts", "ends", "tokens"].map((_, column) => new Int32Array(state.body.slice(column * 4 * state.head.count, (column + 1) * 4 * state.head.count).buffer))
    const [starts, ends, tokens] = columns.map((column) => Array.from(column))
    this.threshold = state.head.threshold
    const ruled = this.rule && this.threshold !== null ? this.rule.pieces(this.threshold) : null
    const agrees = ruled && sameNumbers(ruled.starts, starts) && sameNumbers(ruled.ends, ends)
    this.element.dataset.agrees = ruled === null ? "" : String(agrees)
    const quiet = { cuts: [], held: [], joined: [], forced: starts.map(() => false) }
    // What is in force is what the library made; the rule only adds why.
    this.inForce = agrees ? ruled : { ...(ruled ?? quiet), starts, ends, tokens, forced: quiet.forced }
    this.inForce.tokens = tokens
    if (!ruled) this.inForce.cuts = this.endsAmong(ends)
    this.picture.include(this.threshold)
    this.draw()
    if (this.pointed >= 0) this.parts.tooltip.replaceChildren(...this.about(this.pointed))
    this.element.dataset.threshold = this.threshold ?? ""
    this.element.dataset.chunks = starts.length
  }

  /** Places of the segments where chunks end, for a curve without a threshold. @param {number[]} ends @returns {number[]} */
  endsAmong(ends) {
    const here = new Set(ends)
    const places = []
    this.columns.segmentEnds.forEach((end, place) => {
      if (here.has(end) && place < this.columns.similarities.length) places.push(place)
    })
    return places
  }

  /** What is shown: the preview while the line moves, else what is in force. */
  get shown() {
    return this.preview ?? { threshold: this.threshold ?? null, found: this.inForce }
  }

  /** Everything anew. */
  draw() {
    this.picture.measure()
    if (!this.inForce || !this.colours || !this.picture.width) return
    this.picture.drawStill(this.colours)
    this.drawMoving()
  }

  /** What moves with the line. */
  drawMoving() {
    if (!this.inForce || !this.picture.width) return
    const { threshold, found } = this.shown
    const selected = this.preview ? null : this.bodies.state.head.selected
    const figure = threshold === null ? null : this.coming(threshold)
    this.picture.drawMoving(this.colours, { threshold, figure, found, selected, pointed: this.pointed })
    this.drawBars(found.tokens)
    this.say(threshold, found)
    this.hint.hidden = ![found.cuts, found.held, found.joined].some((places) => this.picture.crowded(places))
    const { closer, wider, whole, plot } = this.parts
    closer.disabled = !this.columns.similarities.length
    wider.disabled = whole.disabled = !this.picture.zoomed
    const movable = threshold !== null && this.rule !== null
    this.parts.grip.hidden = !movable
    if (movable) this.parts.grip.style.top = `${this.picture.y(threshold) - 20}px`
    plot.setAttribute("role", movable ? "slider" : "img")
    plot.setAttribute("aria-label", movable ? `Threshold on the ${this.signalName}` : "Similarity of neighbouring segments along the document")
    if (!movable) return
    plot.setAttribute("aria-valuemin", this.picture.low.toFixed(3))
    plot.setAttribute("aria-valuemax", this.picture.high.toFixed(3))
    plot.setAttribute("aria-valuenow", this.coming(threshold).toFixed(3))
    plot.setAttribute("aria-valuetext", `${this.signalName} ${this.written(threshold)}, ${counted(found.starts.length, this.head.noun)}`)
  }

  /** With as many digits as tell a threshold from its neighbours, three at least. @param {number} threshold @returns {string} */
  written(threshold) {
    const decimals = String(this.rule ? this.rule.simplest(threshold) : threshold).split(".")[1] ?? ""
    return this.coming(threshold).toFixed(Math.min(7, Math.max(3, decimals.length)))
  }

  /** What will be in force once the line is let go, which is rounder than the place of the mouse. @param {number} threshold @returns {number} */
  coming(threshold) {
    return this.preview && this.rule ? this.rule.simplest(threshold) : threshold
  }

  get signalName() {
    return this.head.mode === "gradient" ? "gradient of similarity" : "similarity"
  }

  /** The line of words above the picture. */
  say(threshold, found) {
    const { value, said } = this.parts
    // While the line moves two figures stand on the page: those that would be, here, and those in force.
    const setting = this.preview ? "not in force yet" : this.bodies.state.head.setting
    document.documentElement.toggleAttribute("data-line-moves", this.preview !== null)
    value.textContent = threshold === null ? "No threshold" : `${this.head.mode === "gradient" ? "Gradient" : "Threshold"} ${this.written(threshold)}`
    const forced = found.forced.filter(Boolean).length
    const words = [
      setting,
      `${counted(found.starts.length, this.head.noun)}`,
      found.tokens.length ? `median ${grouped(median(found.tokens))} tokens` : "",
      threshold === null ? "" : `${grouped(found.cuts.length)} cut by similarity`,
      found.held.length ? `${grouped(found.held.length)} held back` : "",
      found.joined.length ? `${grouped(found.joined.length)} joined` : "",
      forced ? `${grouped(forced)} forced` : "",
      this.preview && !this.head.exact ? "token figures are estimates until you let go" : "",
    ]
    said.textContent = words.filter(Boolean).join(" · ")
    this.element.dataset.shown = found.starts.length
  }

  /** Small histogram of tokens. @param {ArrayLike<number>} tokens */
  drawBars(tokens) {
    const { bars } = this.parts
    if (!bars.clientWidth) return
    const context = this.picture.fresh(bars)
    if (!tokens.length) return
    const [, most] = extremes(tokens)
    const count = 24
    const heights = new Array(count).fill(0)
    for (const each of tokens) heights[Math.min(count - 1, Math.floor((each / (most + 1)) * count))]++
    const [, highest] = extremes(heights)
    const tall = bars.clientHeight - 14
    const wide = bars.clientWidth / count
    context.fillStyle = this.colours.curve
    heights.forEach((height, bin) => {
      const high = height ? Math.max(2, (height / highest) * tall) : 0
      context.fillRect(bin * wide, tall - high, wide - 1, high)
    })
    context.fillStyle = this.colours.text
    context.font = `11px ${this.colours.font}`
    context.textBaseline = "alphabetic"
    context.textAlign = "left"
    context.fillText("0", 0, bars.clientHeight - 2)
    context.textAlign = "right"
    context.fillText(`${grouped(most)} tokens`, bars.clientWidth, bars.clientHeight - 2)
    bars.setAttribute("aria-label", `Tokens of the ${this.head.noun}s, up to ${grouped(most)}`)
  }

  /** Which sign means what; only those that can occur. */
  drawLegend() {
    const { noun, minChunkSize, minSize, movable, mode } = this.head
    const signs = [["cut", `a ${noun} ends`]]
    if (minChunkSize > 1) signs.push(["held", `below the line, held back: fewer than ${minChunkSize} segments`])
    if (minSize) signs.push(["joined", `joined: less than ${grouped(minSize)} ${this.head.unit}`])
    if (movable) signs.push(["forced", "forced by the maximum size"])
    if (mode === "gradient") signs.push(["faint", "similarity, on a scale of its own"])
    this.hint = made("span", "item", "zoom in to see each sign")
    this.parts.legend.replaceChildren(
      ...signs.map(([sign, words]) => {
        const item = made("span", "item")
        item.append(made("i", `sign ${sign}`), words)
        return item
      }),
      this.hint,
    )
  }

  /** @param {PointerEvent} event @returns {[number, number]} */
  at(event) {
    const box = this.parts.plot.getBoundingClientRect()
    return [event.clientX - box.left, event.clientY - box.top]
  }

  /** @param {number} x @param {number} y @returns {boolean} whether the line or its handle is there */
  onLine(x, y) {
    const { threshold } = this.shown
    return threshold !== null && this.rule !== null && x >= EDGE.left && Math.abs(this.picture.y(threshold) - y) <= GRIP
  }

  /** @param {PointerEvent} event */
  press(event) {
    if (!this.inForce || event.button > 0) return
    const [x, y] = this.at(event)
    this.parts.plot.setPointerCapture(event.pointerId)
    this.held = { line: this.onLine(x, y), x, y, from: this.picture.from, moved: false }
    if (this.held.line) event.preventDefault()
    this.parts.plot.focus({ preventScroll: true })
  }

  /** @param {PointerEvent} event */
  hover(event) {
    if (!this.inForce) return
    const [x, y] = this.at(event)
    if (!this.held) {
      this.parts.plot.style.cursor = this.onLine(x, y) ? "ns-resize" : this.picture.zoomed ? "grab" : "default"
      this.point(event.pointerType === "touch" ? -1 : this.picture.nearest(x, y), event)
      return
    }
    this.held.moved ||= Math.abs(x - this.held.x) + Math.abs(y - this.held.y) > 4
    if (!this.held.moved) return
    this.point(-1)
    if (this.held.line) this.move(this.picture.valueAt(y))
    else if (this.picture.zoomed) {
      const span = this.picture.to - this.picture.from
      this.picture.move(this.held.from - ((x - this.held.x) / (this.picture.width - EDGE.left - EDGE.right)) * span)
      this.drawSoon(() => this.draw())
    }
  }

  /** @param {PointerEvent} event */
  release(event) {
    const { held } = this
    this.letGo(held?.line && held.moved)
    if (!held || held.moved) return
    const place = this.picture.nearest(...this.at(event))
    if (place >= 0) this.choose(place)
  }

  /** @param {boolean} commit */
  letGo(commit) {
    this.held = null
    if (commit) this.commit()
    else if (this.preview && !this.waiting) this.forget()
  }

  /** Move the line, here only. @param {number} threshold */
  move(threshold) {
    if (!this.rule) return
    this.wanted = Math.min(1, Math.max(-1, threshold))
    this.drawSoon(() => {
      const found = this.rule.pieces(this.wanted)
      this.preview = { threshold: this.wanted, found }
      this.drawMoving()
      this.showInText(found)
    })
  }

  /** One drawing per frame. @param {() => void} draw */
  drawSoon(draw) {
    this.drawing = draw
    this.frame ??= requestAnimationFrame(() => {
      this.frame = null
      this.drawing()
    })
  }

  /** @param {object} found */
  showInText(found) {
    const reasons = found.forced.map((forced, index) => (index === found.forced.length - 1 ? 2 : forced ? 1 : 0))
    this.viewer?.preview({
      starts: found.starts, ends: found.ends, tokens: found.tokens, reasons,
      labels: [`${this.signalName} below the line`, "size limit", "end of document"],
    })
  }

  /** Give the value to Python. */
  commit() {
    this.waiting = false
    if (!this.preview) return
    // A frame may still be due; what is given must be what was last wanted.
    const threshold = this.rule.simplest(this.wanted)
    this.preview = { threshold, found: this.rule.pieces(threshold) }
    this.drawMoving()
    this.parts.live.textContent = this.parts.plot.getAttribute("aria-valuetext")
    this.serial = Math.max(Date.now(), this.serial + 1)
    this.tell("threshold", { value: threshold, serial: this.serial, document: this.head.document })
  }

  /** @param {number} wait milliseconds without another key */
  commitSoon(wait) {
    clearTimeout(this.timer)
    if (!this.waiting) return
    this.timer = setTimeout(() => this.commit(), wait)
  }

  /** Back to what is in force. */
  forget() {
    this.preview = null
    this.waiting = false
    clearTimeout(this.timer)
    this.viewer?.preview(null)
    this.drawMoving()
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (!this.inForce || event.ctrlKey || event.metaKey || event.altKey) return
    const { threshold } = this.shown
    const step = (by) => () => {
      if (threshold === null || !this.rule) return
      this.waiting = true
      this.move(this.rule.next(this.wanted !== undefined && this.preview ? this.wanted : threshold, by))
      this.commitSoon(400)
    }
    const many = Math.max(10, Math.round(this.columns.similarities.length / 20))
    const actions = {
      ArrowUp: step(1),
      ArrowDown: step(-1),
      PageUp: step(many),
      PageDown: step(-many),
      Home: step(-Infinity),
      End: step(Infinity),
      ArrowRight: () => this.walk(1),
      ArrowLeft: () => this.walk(-1),
      Enter: () => (this.pointed >= 0 ? this.choose(this.pointed) : this.commitSoon(0)),
      Escape: () => (this.preview ? this.forget() : this.point(-1)),
      "+": () => this.zoom(0.5),
      "-": () => this.zoom(2),
    }
    if (!actions[event.key]) return
    event.preventDefault()
    event.stopPropagation()
    actions[event.key]()
  }

  /** From point to point. @param {number} by */
  walk(by) {
    const last = this.columns.similarities.length - 1
    if (last < 0) return
    const place = Math.min(last, Math.max(0, this.pointed < 0 ? this.picture.inSight()[0] : this.pointed + by))
    const offset = this.picture.places[place]
    if (offset < this.picture.from || offset > this.picture.to) {
      this.picture.move(offset - (this.picture.to - this.picture.from) / 2)
      this.draw()
    }
    this.point(place)
    this.parts.live.textContent = this.parts.tooltip.textContent
  }

  /** Show what a point is. @param {number} place or -1 @param {PointerEvent} [event] */
  point(place, event) {
    const { tooltip, plot } = this.parts
    const changed = place !== this.pointed
    this.pointed = place
    if (changed) this.drawSoon(() => this.drawMoving())
    tooltip.hidden = place < 0
    if (place < 0) return
    if (changed) tooltip.replaceChildren(...this.about(place))
    const box = plot.getBoundingClientRect()
    const [x, y] = event ? this.at(event) : [this.picture.x(this.picture.places[place]), this.picture.y(this.picture.signal[place])]
    const left = Math.min(Math.max(0, x + 14), box.width - tooltip.offsetWidth)
    const below = y + 18 + tooltip.offsetHeight < box.height + 60
    tooltip.style.transform = `translate(${Math.max(0, left)}px, ${below ? y + 18 : y - tooltip.offsetHeight - 12}px)`
  }

  /** What is known of a pair of segments. @param {number} place @returns {Node[]} */
  about(place) {
    const { similarities, signal, segmentStarts, segmentEnds, allowed } = this.columns
    const { found, threshold } = this.shown
    const title = made("div", "title", `Similarity ${similarities[place].toFixed(3)}`)
    if (signal) title.append(` · gradient ${signal[place].toFixed(3)}`)
    const text = (segment) => {
      const words = made("div", "words")
      words.dir = "auto"
      words.append(document.createTextNode(this.wordsOf(segmentStarts[segment], segmentEnds[segment])))
      return words
    }
    return [title, text(place), made("div", "between", this.verdict(place, found, threshold, signal ?? similarities, allowed)), text(place + 1)]
  }

  /** Whether a boundary falls here, and if not why. @returns {string} */
  verdict(place, found, threshold, signal, allowed) {
    if (found.cuts.includes(place)) return threshold === null ? `— a ${this.head.noun} ends here —` : `— below ${threshold.toFixed(3)}: a ${this.head.noun} ends here —`
    if (threshold === null) return "— no boundary —"
    if (!(signal[place] < Math.fround(threshold))) return `— not below ${threshold.toFixed(3)}: they stay together —`
    if (!allowed[place]) return "— below, but nothing is cut off behind a heading —"
    if (found.joined.includes(place)) return "— below, but joined: too small alone —"
    return `— below, but held back: a ${this.head.noun} needs ${this.head.minChunkSize} segments —`
  }

  /** @param {number} start @param {number} end offsets in code points @returns {string} */
  wordsOf(start, end) {
    const text = this.viewer?.text
    return text ? firstWords(text.text, text.toUnits(start), text.toUnits(end), LETTERS) : `characters ${grouped(start)} to ${grouped(end)}`
  }

  get viewer() {
    return globalThis.chunkvizViewers?.get(this.head?.target)?.stage
  }

  /** Go to a pair of segments in the text. @param {number} place */
  choose(place) {
    const { viewer } = this
    if (!viewer?.chunks?.count) return
    if (this.preview) this.forget()
    const units = viewer.text.toUnits(this.columns.segmentEnds[place] - 1)
    viewer.choose(viewer.chunks.at(units), false)
    viewer.page.scrollTo(units, 0.45)
  }

  /** @param {WheelEvent} event */
  wheel(event) {
    if (!this.inForce || !(event.ctrlKey || event.metaKey || (this.picture.zoomed && event.shiftKey))) return
    event.preventDefault()
    if (event.shiftKey) this.picture.move(this.picture.from + ((event.deltaY || event.deltaX) / this.picture.width) * (this.picture.to - this.picture.from))
    else this.picture.zoom(event.deltaY > 0 ? 1.25 : 0.8, this.picture.offsetAt(this.at(event)[0]))
    this.drawSoon(() => this.draw())
  }

  /** @param {number} factor Infinity shows everything */
  zoom(factor) {
    if (!this.inForce) return
    const selected = this.bodies.state.head.selected
    const middle = (this.picture.from + this.picture.to) / 2
    const about = selected && selected[0] >= this.picture.from && selected[0] <= this.picture.to ? selected[0] : middle
    if (factor === Infinity) Object.assign(this.picture, { from: 0, to: this.picture.length })
    else this.picture.zoom(factor, about)
    this.draw()
  }

  /** Leave nothing behind in the page. */
  dispose() {
    this.gone = true
    document.documentElement.removeAttribute("data-line-moves")
    clearTimeout(this.timer)
    cancelAnimationFrame(this.frame)
    this.watcher.disconnect()
    this.element.remove()
  }
}

/** @param {ArrayLike<number>} one @param {ArrayLike<number>} other @returns {boolean} */
function sameNumbers(one, other) {
  return one.length === other.length && one.every((each, at) => each === other[at])
}

/** @param {number[]} values @returns {number} */
function median(values) {
  const sorted = Float64Array.from(values).sort()
  const half = sorted.length >> 1
  return sorted.length % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2
}

const CURVE_SKELETON = `
  <div class="top">
    <div class="now"><strong class="value"></strong> <span class="said"></span></div>
    <canvas class="bars" role="img"></canvas>
  </div>
  <div class="plot" tabindex="0">
    <canvas class="still"></canvas>
    <canvas class="moving"></canvas>
    <div class="grip"></div>
    <div class="tooltip" hidden></div>
  </div>
  <div class="below">
    <div class="legend"></div>
    <div class="zoom" role="group" aria-label="Zoom">
      <button type="button" class="wider" aria-label="Zoom out">−</button>
      <button type="button" class="closer" aria-label="Zoom in">+</button>
      <button type="button" class="whole">Whole document</button>
    </div>
  </div>
  <div class="live" aria-live="polite"></div>`

/** Runs again at each change of data or theme. */
export default function mountCurve(component) {
  return mountStage(component, (element) => new Curve(element), ["curve", "state"])
}
