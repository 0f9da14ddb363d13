/** Heights of the window that are painted above and below it, so that scrolling finds them done. */
const NEAR = 1
const NOTHING = new Set()
let made_viewers = 0

/** One viewer: joins the parts, and speaks with Python. */
class Viewer {
  /** @param {ShadowRoot} root */
  constructor(root) {
    this.root = root
    this.suffix = `chunkviz-${++made_viewers}`
    this.layers = { selected: -1, marked: NOTHING, focus: null, unseen: [], heat: null }
    this.chunks = null
    this.text = null
    this.anchor = null
    this.serial = 0
    this.request = -1
    this.focused = ""
    this.spaces = false
    this.near = [0, -1]
    this.bodies = { document: null, boundaries: null, pointer: null, lanes: null, findings: null }
    this.build()
  }

  /** Make the elements and listen to them; happens once. */
  build() {
    this.sheetRules = new CSSStyleSheet()
    this.root.adoptedStyleSheets = [...this.root.adoptedStyleSheets, this.sheetRules]
    this.element = made("div", "viewer")
    this.element.innerHTML = SKELETON
    this.root.append(this.element)
    const part = (name) => this.element.querySelector(`.${name}`)
    this.parts = Object.fromEntries(
      ["scroller", "sheet", "blocks", "overlay", "minimap", "detail", "table", "tooltip", "live", "previous", "next", "spaces", "total", "blank", "reading", "legend"].map((name) => [name, part(name)]),
    )
    this.parts.number = this.element.querySelector(".goto input")
    this.page = new Page(this.parts.scroller, this.parts.sheet, this.parts.blocks)
    this.overlay = new Overlay(this.page, this.parts.overlay)
    this.brackets = new Brackets(this)
    this.lanes = new Lanes(this)
    this.findings = new Findings(this)
    this.minimap = new Minimap(this.parts.minimap, (units) => this.page.scrollTo(units, 0.5))
    this.detail = new Detail(this.parts.detail)
    this.table = new ChunkTable(this.parts.table, (index) => this.choose(index, true), (query) => this.find(query))
    this.listen()
    this.watcher = new ResizeObserver(() => this.resized())
    this.watcher.observe(this.parts.scroller)
    this.watcher.observe(this.parts.blocks)
  }

  /** Handlers of the elements made in `build`. */
  listen() {
    const { scroller, previous, next, number, spaces, detail, blank } = this.parts
    scroller.onscroll = () => {
      this.hideTooltip()
      this.drawSoon()
    }
    scroller.onclick = (event) => this.click(event)
    scroller.onkeydown = (event) => this.press(event)
    scroller.onpointermove = (event) => this.hover(event)
    scroller.onpointerleave = () => this.hideTooltip()
    scroller.oncopy = (event) => this.copy(event)
    detail.onkeydown = (event) => {
      if (event.key === "Escape") scroller.focus()
    }
    previous.onclick = () => this.step(-1)
    next.onclick = () => this.step(1)
    number.onchange = () => this.goTo()
    number.onkeydown = (event) => {
      if (event.key === "Enter") this.goTo()
    }
    this.selecting = () => this.markSoon()
    document.addEventListener("selectionchange", this.selecting)
    spaces.onclick = () => this.toggleSpaces()
  }

  /** One run of the component: new data, new theme, or both. */
  update(component, head) {
    this.tell = component.setStateValue
    this.key = head.viewer
    this.marking = head.marking
    this.element.style.setProperty("--height", `${head.height}px`)
    const style = getComputedStyle(this.root.host ?? this.root)
    const dark = isDark(style.getPropertyValue("--st-background-color"))
    this.palette = dark ? PALETTES.dark : PALETTES.light
    this.element.dataset.theme = dark ? "dark" : "light"
    this.colours = { ...this.palette, text: style.getPropertyValue("--st-text-color").trim() || "#333" }
    this.sheetRules.replaceSync(paletteRules(this.palette, this.suffix))
    const wanted = head.highlights && typeof Highlight === "function" && CSS.highlights ? HighlightPainter : ElementPainter
    if (!(this.painter instanceof wanted)) {
      this.painter?.reset()
      this.painter?.dispose()
      this.painter = new wanted(this.suffix)
      this.near = [0, -1]
    }
    this.element.dataset.painter = wanted === HighlightPainter ? "highlights" : "elements"
    if (this.text) {
      this.overlay.forgetSpaces()
      this.lanes.paint()
      this.draw()
    }
  }

  /**
   * Take a message out of the inbox. Inflating is not instant: what arrives meanwhile wins.
   * @param {"document" | "boundaries" | "pointer" | "lanes" | "findings"} kind
   */
  async receive(kind) {
    const message = this.inbox?.get(kind)
    if (!message || this.bodies[kind]?.message === message) return
    if (kind === "document" && this.text?.id === message.head.document) return
    this.awaited = { ...this.awaited, [kind]: message }
    const body = await bodyOf(message)
    if (this.awaited[kind] !== message || this.gone) return
    this.bodies[kind] = { message, head: message.head, body }
    if (kind === "document") this.showDocument(message.head, body)
    this.meet()
  }

  /** @param {object} head @param {Uint8Array} body */
  showDocument(head, body) {
    this.painter.reset()
    this.overlay.forgetSpaces()
    this.text = new DocumentText(head, body)
    // The text lives on in the string; its bytes need not.
    this.bodies.document.body = null
    Object.assign(this, { chunks: null, anchor: null, near: [0, -1] })
    this.layers = { ...this.layers, selected: -1, marked: NOTHING, focus: null, unseen: [], heat: null }
    this.page.show(this.text)
    this.parts.scroller.setAttribute("aria-label", `Text of ${this.text.name || "the document"}`)
  }

  /** Bring together what has arrived, as far as it belongs together. */
  meet() {
    const { boundaries, pointer } = this.bodies
    if (this.text && boundaries?.head.document === this.text.id && this.chunks?.message !== boundaries.message) {
      this.chunks = new Chunks(boundaries.head, boundaries.body, this.text)
      this.chunks.message = boundaries.message
      // Heat belongs to other boundaries; that of these comes with their pointer.
      this.layers = { ...this.layers, selected: this.anchored(), heat: null }
      this.stale = true
    }
    if (this.chunks && pointer?.head.chunking === this.chunks.fingerprint && this.pointed !== pointer) {
      this.pointed = pointer
      const before = this.layers
      this.beyond = { index: pointer.head.selected ?? -1, chunking: pointer.head.chunking, facts: pointer.head.facts }
      this.obey(pointer.head, pointer.body)
      this.stale ||= !sameLayers(before, this.layers)
      if (!this.stale && this.beyond.facts.length) this.showSelected()
    }
    if (this.chunks && this.stale) this.showChunks()
    if (this.chunks) this.meetLayers()
  }

  /** Lanes belong to the document, findings to its boundaries. */
  meetLayers() {
    this.lanes.meet(this.bodies.lanes)
    this.findings.meet(this.bodies.findings)
  }

  /**
   * Show boundaries that Python does not know of yet, as while a threshold is dragged; what Python
   * sends next replaces them. null shows again what it sent last.
   * @param {{starts: number[], ends: number[], tokens: number[], reasons: number[], labels: string[]} | null} columns
   */
  preview(columns) {
    const { boundaries } = this.bodies
    if (!this.text || !boundaries || boundaries.head.document !== this.text.id) return
    this.chunks = columns ? Chunks.of(columns, this.text) : new Chunks(boundaries.head, boundaries.body, this.text)
    this.chunks.message = boundaries.message
    this.layers = { ...this.layers, selected: columns ? -1 : this.anchored() }
    clearTimeout(this.settling)
    this.findings.meet(this.bodies.findings)
    if (!columns) return this.showChunks()
    // Table and drawer cost more than a frame has, so they wait until the line rests.
    this.settling = setTimeout(() => !this.gone && this.showChunks(), 120)
    this.parts.total.textContent = `of ${grouped(this.chunks.count)}`
    // What is out of sight waits, too; whoever scrolls there meanwhile has it painted then.
    return this.repaint(0)
  }

  /** Index of the chunk the selection holds on to. @returns {number} -1 for none */
  anchored() {
    return this.anchor === null || !this.chunks.count ? -1 : Math.max(0, lastAtOrBefore(this.chunks.pointStarts, this.anchor))
  }

  /** Do what Python asks for, unless the person has chosen since. */
  obey(head, body) {
    const focus = head.focus && head.focus.map((points) => this.text.toUnits(points))
    const numbers = new NumberReader(body)
    this.layers = { ...this.layers, marked: markedOf(head, numbers), focus, unseen: head.unseen?.map((span) => span.map((points) => this.text.toUnits(points))) ?? [], heat: heatOf(head, numbers, this.chunks.count) }
    const asked = `${head.focus}/${head.focusSerial}`
    const moved = focus && asked !== this.focused
    this.focused = asked
    if (head.seen >= this.serial && head.request > this.request) {
      this.request = head.request
      this.select(head.selected ?? -1)
      if (this.layers.selected >= 0 && !moved) this.reveal(this.layers.selected)
    }
    if (moved) {
      this.page.scrollTo(focus[0], 0.35)
      this.findings.follow(focus)
    }
    const come = head.heat?.come ?? 0
    if (this.came !== undefined && come > this.came) this.parts.reading.scrollIntoView({ block: "nearest" })
    this.came = come
    const seek = head.heat?.seek ?? 0
    if (this.sought !== undefined && seek > this.sought && this.layers.selected >= 0) this.reveal(this.layers.selected)
    this.sought = seek
  }

  /** Everything that depends on the boundaries. */
  showChunks() {
    this.stale = false
    const { number, total, blank, previous, next } = this.parts
    const empty = this.chunks.count === 0
    blank.hidden = !empty
    blank.textContent = this.text.blank ? "This document has no text, so there is nothing to chunk." : "This strategy made no chunk of this document."
    this.element.classList.toggle("nothing", empty)
    this.element.style.setProperty("--digits", String(this.chunks.count).length)
    this.brackets.show()
    this.element.classList.toggle("heated", Boolean(this.layers.heat))
    this.parts.legend.hidden = !this.layers.heat
    this.parts.legend.replaceChildren(...(this.layers.heat ? legendParts(this.layers.heat) : []))
    total.textContent = `of ${grouped(this.chunks.count)}`
    number.max = this.chunks.count
    for (const control of [number, previous, next]) control.disabled = empty
    this.table.show(this.text, this.chunks, this.layers.marked)
    this.showSelected()
    this.repaint()
    this.element.dataset.chunking = this.chunks.fingerprint
    this.element.dataset.strategy = this.chunks.strategy
    this.element.dataset.steps = Number(this.element.dataset.steps ?? 0) + 1
  }

  /** Paint what is near the viewport, and everything that lies over or beside it. @param {number} margin in heights of the window */
  draw(margin = NEAR) {
    if (!this.chunks || !this.page.elements.length) return
    const near = this.page.near(margin)
    for (let block = this.near[0]; block <= this.near[1]; block++) {
      if (block < near[0] || block > near[1]) this.painter.clear(block)
    }
    for (let block = near[0]; block <= near[1]; block++) {
      if (block < this.near[0] || block > this.near[1]) this.paintBlock(block)
    }
    this.near = near
    const [from, to] = [this.text.blocks[near[0]], this.text.blockEnd(near[1])]
    const places = new Places(this)
    const layers = [this.lanes.prepare(from, to, places), this.findings.prepare(from, to, places)]
    this.overlay.draw(this.chunks, this.layers, from, to)
    this.brackets.draw(from, to)
    layers.forEach((put) => put())
    this.overlay.drawSpaces(range(near[0], near[1]), this.spaces)
    this.minimap.draw(this.chunks, this.layers, this.text.text.length, this.page.seen(), this.colours, this.lanes.onMinimap())
  }

  /** @param {number} block */
  paintBlock(block) {
    const start = this.text.blocks[block]
    const end = this.text.blockEnd(block)
    this.painter.paint(block, this.page.elements[block], start, (emit) => {
      paintStretch(this.chunks, this.layers, start, end, emit)
      if (this.query) paintFound(this.text, this.query, start, end, emit)
    })
  }

  /** Paint everything near anew, because chunks or layers changed. @param {number} margin in heights of the window */
  repaint(margin = NEAR) {
    this.near = [0, -1]
    this.painter.reset()
    this.draw(margin)
  }

  /** One drawing per frame. */
  drawSoon() {
    cancelAnimationFrame(this.frame)
    this.frame = requestAnimationFrame(() => this.draw())
  }

  /** Widths changed, so every place did. */
  resized() {
    const width = this.parts.blocks.clientWidth
    if (width !== this.width) this.overlay.forgetSpaces()
    this.width = width
    const { blocks } = this.parts
    // Of many sections only a guess is known, and a guess is enough: they fill any window.
    this.element.style.setProperty("--content", `${blocks.offsetHeight + blocks.offsetTop + 34}px`)
    this.drawSoon()
  }

  /** Select without telling Python. @param {number} index or -1 */
  select(index) {
    const known = index >= 0 && index < this.chunks.count
    this.layers = { ...this.layers, selected: known ? index : -1 }
    this.anchor = known ? this.chunks.pointStarts[index] : null
  }

  /** The person chose a chunk. @param {number} index or -1 @param {boolean} scroll */
  choose(index, scroll) {
    if (!this.chunks) return
    this.select(index)
    this.repaint()
    this.showSelected()
    this.announce()
    if (index >= 0 && scroll) this.reveal(index)
    this.serial = Math.max(Date.now(), this.serial + 1)
    clearTimeout(this.telling)
    // Holding a key down selects many chunks a second; Python hears of the one it stops at.
    this.telling = setTimeout(() => this.tellPython(), 120)
  }

  /** Tell Python what is selected. */
  tellPython() {
    this.tell("selection", { anchor: this.anchor, serial: this.serial, document: this.text.id })
  }

  /** @param {number} index */
  reveal(index) {
    const [start, end] = [this.chunks.starts[index], this.chunks.ends[index]]
    if (!this.page.inSight(start, end)) this.page.scrollTo(start, 0.2)
  }

  /** Number field, drawer and table follow the selection. */
  showSelected() {
    const { selected } = this.layers
    if (this.root.activeElement !== this.parts.number || selected >= 0) this.parts.number.value = selected >= 0 ? selected + 1 : ""
    const told = this.beyond?.index === selected && this.beyond.chunking === this.chunks.fingerprint ? this.beyond.facts : []
    this.detail.draw(this.text, this.chunks, selected, this.spaces, told)
    this.table.select(selected)
    this.element.dataset.selected = selected
  }

  /** Say the selection aloud. */
  announce() {
    const index = this.layers.selected
    const { chunks, text } = this
    this.parts.live.textContent =
      index < 0
        ? "No chunk selected"
        : `Chunk ${index + 1} of ${chunks.count}, ${counted(chunks.tokens[index], "token")}, ends at ${chunks.endsAt(index)}${inParent(chunks, index)}: ` +
          firstWords(text.text, chunks.starts[index], chunks.ends[index], 80)
  }

  /** @param {number} by */
  step(by) {
    if (!this.chunks?.count) return
    const { selected } = this.layers
    const from = selected >= 0 ? selected + by : this.firstInSight()
    this.choose(Math.min(this.chunks.count - 1, Math.max(0, from)), true)
  }

  /** Where stepping begins when nothing is selected. @returns {number} */
  firstInSight() {
    return Math.min(this.chunks.count - 1, Math.max(0, this.chunks.endingAfter(Math.floor(this.page.seen()[0]))))
  }

  /** The number field. */
  goTo() {
    const number = Math.round(Number(this.parts.number.value))
    if (!this.parts.number.value || !this.chunks?.count) return
    const index = Math.min(this.chunks.count, Math.max(1, number)) - 1
    this.parts.number.value = index + 1
    if (index !== this.layers.selected) this.choose(index, true)
    else this.reveal(index)
  }

  /** Keys of lanes and findings. @param {KeyboardEvent} event @returns {boolean} whether it was one */
  pressLayer(event) {
    const layer = { d: this.lanes, f: this.findings }[event.key.toLowerCase()]
    if (!layer || layer.bar.element.hidden || event.ctrlKey || event.metaKey || event.altKey) return false
    event.preventDefault()
    event.stopPropagation()
    layer.step(event.shiftKey ? -1 : 1)
    return true
  }

  /** @param {KeyboardEvent} event */
  press(event) {
    if (event.ctrlKey || event.metaKey || !this.chunks?.count || this.pressLayer(event)) return
    const name = event.altKey ? `Alt+${event.key}` : event.key
    const last = this.chunks.count - 1
    const actions = {
      n: () => this.step(1),
      p: () => this.step(-1),
      "Alt+ArrowDown": () => this.step(1),
      "Alt+ArrowUp": () => this.step(-1),
      Home: () => this.choose(0, true),
      End: () => this.choose(last, true),
      Enter: () => this.parts.detail.focus(),
      Escape: () => this.choose(-1, false),
    }
    if (!actions[name]) return
    event.preventDefault()
    event.stopPropagation()
    actions[name]()
  }

  /** @param {MouseEvent} event */
  click(event) {
    if (!this.chunks) return
    const number = event.target.closest?.(".chunk-number")
    if (number) return this.choose(Number(number.dataset.index), false)
    const selection = rangeSelected(this.root)
    if (selection && !selection.collapsed && this.page.selectedText(this.root)) return undefined
    const units = this.page.unitsUnder(this.root, event.clientX, event.clientY)
    const here = units === null ? [] : this.chunks.covering(units)
    if (!here.length) return undefined
    const place = here.indexOf(this.layers.selected)
    return this.choose(here[(place + 1) % here.length], false)
  }

  /** @param {PointerEvent} event */
  hover(event) {
    if (event.pointerType === "touch") return
    this.pointer = event
    this.hovering ??= requestAnimationFrame(() => {
      this.hovering = null
      if (this.pointer) this.showTooltip(this.pointer)
    })
  }

  /** @param {PointerEvent} event */
  showTooltip(event) {
    if (!this.chunks || event.buttons) return this.hideTooltip()
    const number = event.target.closest?.(".chunk-number")
    const units = number ? null : this.page.unitsUnder(this.root, event.clientX, event.clientY)
    const here = number ? [Number(number.dataset.index)] : units === null ? [] : this.chunks.covering(units)
    if (!here.length) return this.hideTooltip()
    const { tooltip } = this.parts
    const lost = units !== null && this.layers.unseen?.some(([start, end]) => start <= units && units < end)
    const name = `${here.join()}${lost ? " lost" : ""}`
    if (tooltip.hidden || this.told !== name) {
      tooltip.replaceChildren(...here.slice(0, 3).map((index) => tooltipPart(this.chunks, index, this.layers.heat)))
      if (lost) tooltip.append(made("div", "lost", "Never seen by the model: it lies beyond the model's limit."))
    }
    this.told = name
    tooltip.hidden = false
    return putBeside(tooltip, event.clientX, event.clientY)
  }

  /** Show a tooltip for what lies over the text. @param {HTMLElement[]} parts @param {PointerEvent} event */
  showBeside(parts, event) {
    const { tooltip } = this.parts
    tooltip.replaceChildren(...parts)
    this.told = ""
    this.pointer = null
    tooltip.hidden = false
    return putBeside(tooltip, event.clientX, event.clientY)
  }

  /** Nothing is under the pointer. */
  hideTooltip() {
    this.pointer = null
    this.parts.tooltip.hidden = true
  }

  /** @param {ClipboardEvent} event */
  copy(event) {
    const literal = this.page.selectedText(this.root)
    if (literal === null) return
    event.preventDefault()
    event.clipboardData.setData("text/plain", literal)
  }

  /** Tell Python which text is selected, where it wants to know, once the selection has come to rest. */
  markSoon() {
    if (!this.marking) return
    clearTimeout(this.markingSoon)
    this.markingSoon = setTimeout(() => this.tellMarked(), 200)
  }

  /** A selection that is given up stays the one told last: it ends when somebody types the question. */
  tellMarked() {
    const units = this.text && this.page.selectedUnits(this.root)
    if (!units || units[0] === null || units[1] === null) return
    const [start, end] = units.map((each) => this.text.toPoints(each))
    const name = `${this.text.id}/${start}/${end}`
    if (start >= end || name === this.markedText) return
    this.markedText = name
    this.tell("marked_text", { start, end, document: this.text.id })
  }

  /** Show or hide the signs for white space. */
  toggleSpaces() {
    this.spaces = !this.spaces
    this.parts.spaces.setAttribute("aria-pressed", String(this.spaces))
    this.draw()
    this.detail.drawSpaces(this.spaces)
  }

  /** Show where a query of the table is in the text. @param {string} query */
  find(query) {
    this.query = query.toLowerCase()
    if (this.chunks) this.repaint()
  }

  /** Leave nothing behind in the page. */
  dispose() {
    this.gone = true
    clearTimeout(this.telling)
    clearTimeout(this.markingSoon)
    document.removeEventListener("selectionchange", this.selecting)
    cancelAnimationFrame(this.frame)
    this.page.dispose()
    this.watcher.disconnect()
    this.painter?.dispose()
    this.root.adoptedStyleSheets = this.root.adoptedStyleSheets.filter((rules) => rules !== this.sheetRules)
    this.element.remove()
  }
}

/** @param {Layers} one @param {Layers} other @returns {boolean} */
function sameLayers(one, other) {
  return one.selected === other.selected && `${one.focus}` === `${other.focus}` && `${one.unseen}` === `${other.unseen}` && sameSet(one.marked, other.marked) && sameHeat(one.heat, other.heat)
}

/** @param {Heat | null} one @param {Heat | null} other @returns {boolean} */
function sameHeat(one, other) {
  if (!one || !other) return one === other
  const said = (heat) => JSON.stringify([[...heat.hits], heat.bounds, heat.unit])
  return said(one) === said(other) && one.levels.every((level, index) => level === other.levels[index])
}

/** What the strengths mean, in scores. @param {Heat} heat @returns {HTMLElement[]} */
function legendParts({ bounds, unit, hits }) {
  const words = ["weak", "medium", "strong"]
  const parts = bounds.map((bound, place) => {
    const part = made("span", "strength")
    part.append(made("i", `swatch heat-swatch-${place + 1}`), `${words[place]} ≥ ${bound}${place ? "" : " or a hit"}`)
    return part
  })
  if (hits.size) {
    const part = made("span", "strength")
    part.append(made("b", "rank-sign", "1"), "rank of a hit")
    parts.push(part)
  }
  return [made("span", "", unit), ...parts]
}

/** @param {Set<number>} one @param {Set<number>} other @returns {boolean} */
function sameSet(one, other) {
  return one.size === other.size && [...one].every((each) => other.has(each))
}

/** @param {number} first @param {number} last @returns {number[]} */
function range(first, last) {
  return Array.from({ length: last - first + 1 }, (_, step) => first + step)
}

/** Emit every place of a query in a stretch of text. */
function paintFound(text, query, from, to, emit) {
  const lower = text.lowerCase()
  if (lower === null) return
  for (let at = lower.indexOf(query, Math.max(0, from - query.length + 1)); at >= 0 && at < to; at = lower.indexOf(query, at + query.length)) {
    emit("found", Math.max(at, from), Math.min(at + query.length, to))
  }
}

/** What the tooltip says of one chunk. @param {Chunks} chunks @param {number} index @param {Heat | null} heat @returns {HTMLElement} */
function tooltipPart(chunks, index, heat) {
  const part = made("div", `about hue-${index % HUES}`)
  const sizes = `${counted(chunks.tokens[index], "token")} · ${counted(chunks.size(index), "character")} · ${chunks.span(index)}`
  const title = made("div", "about-title")
  title.append(made("strong", "", `Chunk ${grouped(index + 1)}`), ` · ${sizes}`)
  const hit = heat?.hits.get(index)
  if (hit) part.append(made("div", "about-hit", `Hit ${hit.rank} · ${hit.label}`))
  part.append(title, made("div", "", `New text begins at ${chunks.beginsAt(index)}, ends at ${chunks.endsAt(index)}`))
  const shared = chunks.overlapBefore(index)
  if (shared) part.append(made("div", "", `Shares ${counted(shared, "character")} with chunk ${grouped(index)}`))
  return part
}

/** Put the tooltip near the pointer, inside the window. */
function putBeside(tooltip, x, y) {
  const { offsetWidth: width, offsetHeight: height } = tooltip
  const left = Math.max(8, Math.min(x + 14, innerWidth - width - 8))
  const below = y + 22 + height < innerHeight
  // Inside a transformed ancestor "fixed" is relative to it; measure instead of trusting.
  tooltip.style.left = "0px"
  tooltip.style.top = "0px"
  const zero = tooltip.getBoundingClientRect()
  tooltip.style.left = `${left - zero.left}px`
  tooltip.style.top = `${(below ? y + 22 : Math.max(8, y - height - 12)) - zero.top}px`
}

/** Runs again at each change of data or theme. */
export default function mount(component) {
  return mountStage(component, (element) => new Viewer(element), ["document", "boundaries", "pointer", "lanes", "findings"])
}
