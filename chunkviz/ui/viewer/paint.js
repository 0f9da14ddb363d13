/**
 * @typedef {object} Layers what to paint beside the chunks themselves
 * @property {number} selected chunk index, or -1
 * @property {Set<number>} marked
 * @property {[number, number] | null} focus in UTF-16 units
 * @property {[number, number][]} [unseen] what a model never reads, in UTF-16 units
 * @property {Heat | null} heat takes the place of the cycling colours
 */

/**
 * Everything to paint in a stretch of text: pieces of chunks that share no character, then what lies on top.
 * @param {Chunks} chunks @param {Layers} layers @param {number} from @param {number} to
 * @param {(layer: string, start: number, end: number) => void} emit
 */
function paintStretch(chunks, layers, from, to, emit) {
  const clipped = (layer, start, end) => {
    const low = Math.max(start, from)
    const high = Math.min(end, to)
    if (low < high) emit(layer, low, high)
  }
  for (let index = chunks.endingAfter(from); index < chunks.count && chunks.starts[index] < to; index++) {
    const start = chunks.starts[index]
    const end = chunks.ends[index]
    const before = index > 0 ? chunks.ends[index - 1] : 0
    const next = index + 1 < chunks.count ? chunks.starts[index + 1] : Infinity
    if (before > start) clipped("overlap", start, Math.min(before, next))
    if (layers.heat) paintHeat(layers.heat.levels, index, start, end, before, next, clipped)
    else clipped(`chunk-${index % HUES}`, Math.max(start, before), Math.min(end, next))
    if (!layers.heat && layers.marked.has(index)) clipped(`marked-${index % HUES}`, start, end)
    // Over heat it would be another heat; rail and number tell it.
    if (!layers.heat && layers.selected === index) clipped(`selected-${index % HUES}`, start, end)
  }
  for (const [start, end] of layers.unseen ?? []) clipped("unseen", start, end)
  if (layers.focus) clipped("focus", layers.focus[0], layers.focus[1])
}

/** Heat of one chunk; what it shares with the one before is as hot as the hotter of the two. */
function paintHeat(levels, index, start, end, before, next, emit) {
  if (levels[index]) emit(`heat-${levels[index]}`, Math.max(start, before), Math.min(end, next))
  const shared = before > start ? Math.max(levels[index], levels[index - 1]) : 0
  if (shared) emit(`heat-${shared}`, start, Math.min(before, next))
}

/** Paints blocks with the CSS Custom Highlight API: no element is touched, only ranges are. */
class HighlightPainter {
  /** @param {string} suffix of this viewer's highlight names */
  constructor(suffix) {
    this.suffix = suffix
    this.highlights = new Map()
    this.painted = new Map()
    layerStyles(PALETTES.light).forEach(([layer], priority) => {
      const highlight = new Highlight()
      highlight.priority = priority
      CSS.highlights.set(`${layer}-${suffix}`, highlight)
      this.highlights.set(layer, highlight)
    })
  }

  /** @param {number} block @param {HTMLElement} element @param {number} start @param {(emit: Function) => void} paint */
  paint(block, element, start, paint) {
    this.clear(block)
    const node = element.firstChild
    const ranges = []
    paint((layer, from, to) => {
      const range = new StaticRange({
        startContainer: node,
        startOffset: from - start,
        endContainer: node,
        endOffset: to - start,
      })
      this.highlights.get(layer).add(range)
      ranges.push(layer, range)
    })
    this.painted.set(block, ranges)
  }

  /** @param {number} block */
  clear(block) {
    const ranges = this.painted.get(block) ?? []
    for (let place = 0; place < ranges.length; place += 2) this.highlights.get(ranges[place]).delete(ranges[place + 1])
    this.painted.delete(block)
  }

  /** Forget every range, without touching the text. */
  reset() {
    for (const highlight of this.highlights.values()) highlight.clear()
    this.painted.clear()
  }

  /** Leave nothing behind in the page. */
  dispose() {
    for (const layer of this.highlights.keys()) CSS.highlights.delete(`${layer}-${this.suffix}`)
  }
}

/** Paints blocks with elements, where the browser has no highlights; blocks out of sight are plain text. */
class ElementPainter {
  constructor() {
    this.painted = new Map()
  }

  /** @param {number} block @param {HTMLElement} element @param {number} start @param {(emit: Function) => void} paint */
  paint(block, element, start, paint) {
    const text = element.textContent
    const pieces = []
    paint((layer, from, to) => pieces.push([layer, from - start, to - start]))
    const cuts = new Set([0, text.length])
    for (const [, from, to] of pieces) cuts.add(from).add(to)
    const sorted = [...cuts].sort((a, b) => a - b)
    const parts = sorted.slice(1).map((to, place) => pieceElement(text.slice(sorted[place], to), layersOf(pieces, sorted[place], to)))
    element.replaceChildren(...parts)
    this.painted.set(block, element)
  }

  /** @param {number} block */
  clear(block) {
    const element = this.painted.get(block)
    if (element) element.replaceChildren(document.createTextNode(element.textContent))
    this.painted.delete(block)
  }

  /** Turn every painted block back into plain text. */
  reset() {
    for (const block of [...this.painted.keys()]) this.clear(block)
  }

  /** Nothing lives outside the blocks. */
  dispose() {}
}

/** @param {[string, number, number][]} pieces @param {number} from @param {number} to @returns {string[]} */
function layersOf(pieces, from, to) {
  return pieces.filter(([, start, end]) => start <= from && to <= end).map(([layer]) => layer)
}

/** @param {string} text @param {string[]} layers @returns {Node} */
function pieceElement(text, layers) {
  if (!layers.length) return document.createTextNode(text)
  const span = document.createElement("span")
  span.className = layers.join(" ")
  span.append(document.createTextNode(text))
  return span
}
