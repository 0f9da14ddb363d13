/** More marks than this in sight would be noise; numbers are still grouped line by line. */
const MOST_MARKS = 600
/** Rectangles of a focused passage that get an outline. */
const MOST_OUTLINES = 120

/**
 * A layer over the text with what must not be part of it: numbers and rails in the gutter, ticks at
 * the boundaries, outlines, white space made visible. Only what is near the viewport exists.
 */
class Overlay {
  /** @param {Page} page @param {HTMLElement} element */
  constructor(page, element) {
    this.page = page
    this.element = element
    this.gutter = document.createElement("div")
    this.signs = document.createElement("div")
    this.signs.className = "signs"
    element.append(this.gutter, this.signs)
    this.canvases = new Map()
  }

  /** @param {Chunks} chunks @param {Layers} layers @param {number} from @param {number} to in UTF-16 units */
  draw(chunks, layers, from, to) {
    const origin = this.element.getBoundingClientRect()
    const parts = document.createDocumentFragment()
    const starts = []
    const first = chunks.endingAfter(from)
    for (let index = first; index < chunks.count && chunks.starts[index] < to && index - first < MOST_MARKS; index++) {
      const place = this.placeOf(chunks, index, from, to, origin)
      parts.append(railPart(place, index, layers))
      if (place.begins) {
        starts.push({ index, top: place.top })
        parts.append(tickPart("tick starts", place.begins, index, layers))
      }
      if (place.finishes && this.needsEnd(chunks, layers, index)) {
        parts.append(tickPart("tick ends", place.finishes, index, layers))
      }
    }
    numberParts(starts, layers).forEach((part) => parts.append(part))
    if (layers.heat) rankParts(starts, layers.heat.hits).forEach((part) => parts.append(part))
    if (layers.focus) this.outline(layers.focus, from, to, origin).forEach((part) => parts.append(part))
    this.gutter.replaceChildren(parts)
  }

  /** An end is marked where no beginning shows it: inside the next chunk, or of the selected one. */
  needsEnd(chunks, layers, index) {
    return layers.selected === index || (index + 1 < chunks.count && chunks.starts[index + 1] < chunks.ends[index])
  }

  /** Where a chunk begins and ends in the layer; its parts out of sight are cut off. */
  placeOf(chunks, index, from, to, origin) {
    const start = chunks.starts[index]
    const end = chunks.ends[index]
    const begins = start >= from ? this.edge(start, "before", origin) : null
    const finishes = end <= to ? this.edge(end, "after", origin) : null
    return {
      begins,
      finishes,
      top: begins ? begins.top : this.edge(Math.max(from, start), "before", origin)?.top ?? 0,
      bottom: finishes ? finishes.bottom : this.edge(Math.min(to, end), "after", origin)?.bottom ?? 0,
    }
  }

  /**
   * The place between two characters, measured at the one behind it ("before" it) or the one in front.
   * @returns {{x: number, top: number, bottom: number, leftward: boolean} | null} leftward where letters run from right to left
   */
  edge(units, side, origin) {
    const text = this.page.document.text
    const at = side === "before" ? Math.min(units, text.length - 1) : Math.max(0, units - 1)
    const rect = this.page.rectAt(at, side === "after")
    if (!rect) return null
    const leftward = RIGHT_TO_LEFT.test(text[at])
    const x = (side === "before") === leftward ? rect.right : rect.left
    return { x: x - origin.left, top: rect.top - origin.top, bottom: rect.bottom - origin.top, leftward }
  }

  /** Boxes round a focused passage. @returns {HTMLElement[]} */
  outline([start, end], from, to, origin) {
    const low = Math.max(start, from)
    const high = Math.min(end, to)
    if (low > high) return []
    const rects = low === high ? [this.page.rectAt(low, false)] : this.page.rectsOf(low, high).slice(0, MOST_OUTLINES)
    return rects.filter(Boolean).map((rect) => {
      const box = document.createElement("div")
      box.className = "outline"
      const width = Math.max(low === high ? 0 : rect.width, 7)
      place(box, rect.left - origin.left - 2, rect.top - origin.top, width + 4, rect.height)
      return box
    })
  }

  /** Draw or remove the signs for white space in the given blocks. @param {number[]} blocks @param {boolean} shown */
  drawSpaces(blocks, shown) {
    const wanted = new Set(shown ? blocks : [])
    const origin = this.element.getBoundingClientRect()
    for (const [block, canvas] of this.canvases) {
      if (!wanted.has(block)) {
        canvas.remove()
        this.canvases.delete(block)
      }
    }
    for (const block of wanted) {
      const element = this.page.elements[block]
      const box = element.getBoundingClientRect()
      const known = this.canvases.get(block)
      const canvas = known ?? spaceCanvas(element, this.page.nodesOf(block))
      if (!known) {
        this.canvases.set(block, canvas)
        this.signs.append(canvas)
      }
      canvas.style.cssText += `left:${box.left - origin.left}px;top:${box.top - origin.top}px;`
    }
  }

  /** Signs were drawn for another width or colour. */
  forgetSpaces() {
    this.drawSpaces([], false)
  }
}

/** @param {HTMLElement} part @param {number} left @param {number} top @param {number} width @param {number} height */
function place(part, left, top, width, height) {
  part.style.cssText += `left:${left}px;top:${top}px;width:${width}px;height:${height}px;`
}

/** @param {string} name @param {number} index @param {Layers} layers @returns {string} classes of a chunk's part */
function partClass(name, index, layers) {
  const selected = layers.selected === index ? " selected" : ""
  return `${name} hue-${index % HUES}${selected}${layers.marked.has(index) ? " marked" : ""}`
}

/** The bar beside a chunk's lines; neighbours stand in two columns, so an overlap shows as two bars. */
function railPart(place, index, layers) {
  const rail = document.createElement("div")
  rail.className = `${partClass("rail", index, layers)} ${index % 2 ? "odd" : "even"}`
  rail.style.top = `${place.top + 2}px`
  rail.style.height = `${Math.max(4, place.bottom - place.top - 4)}px`
  return rail
}

/** The line between two characters where a chunk begins or ends. */
function tickPart(name, edge, index, layers) {
  const tick = document.createElement("div")
  tick.className = partClass(edge.leftward ? `${name} leftward` : name, index, layers)
  tick.style.cssText = `left:${edge.x}px;top:${edge.top + 1}px;height:${edge.bottom - edge.top - 2}px;`
  return tick
}

/** One gutter entry per line: "12", or "12–14" where several chunks begin. @returns {HTMLElement[]} */
function numberParts(starts, layers) {
  const lines = []
  for (const start of starts) {
    const line = lines[lines.length - 1]
    if (line && Math.abs(line.top - start.top) < 8) line.indices.push(start.index)
    else lines.push({ top: start.top, indices: [start.index] })
  }
  return lines.map(({ top, indices }) => {
    const entry = document.createElement("div")
    entry.className = "number"
    entry.style.top = `${top}px`
    const ends = indices.length === 1 ? indices : [indices[0], indices[indices.length - 1]]
    ends.forEach((index, place) => {
      if (place) entry.append("–")
      entry.append(numberPart(index, layers))
    })
    return entry
  })
}

/** Ranks of the hits that begin on each line, best first. @returns {HTMLElement[]} */
function rankParts(starts, hits) {
  const lines = []
  for (const { index, top } of starts) {
    const hit = hits.get(index)
    if (!hit) continue
    const line = lines[lines.length - 1]
    if (line && Math.abs(line.top - top) < 8) line.ranks.push(hit.rank)
    else lines.push({ top, ranks: [hit.rank] })
  }
  return lines.map(({ top, ranks }) => {
    const entry = made("div", "rank", ranks.sort((one, other) => one - other).join(","))
    entry.style.top = `${top}px`
    return entry
  })
}

/** @param {number} index @param {Layers} layers @returns {HTMLElement} */
function numberPart(index, layers) {
  const number = document.createElement("span")
  number.className = partClass("chunk-number", index, layers)
  number.dataset.index = index
  number.textContent = `${layers.marked.has(index) && !layers.heat ? "◆" : ""}${index + 1}`
  return number
}

/** @param {string} character @returns {string | undefined} the sign that stands for it */
function spaceSign(character) {
  return { " ": "·", "\t": "→", "\n": "¶", "\r": "␍", "\u00a0": "°", "\u3000": "□", "\f": "⇟" }[character]
}

/** A picture of the white space in an element, to lay over it. @param {HTMLElement} element @param {Text[]} nodes */
function spaceCanvas(element, nodes) {
  const canvas = document.createElement("canvas")
  const box = element.getBoundingClientRect()
  const scale = devicePixelRatio || 1
  canvas.width = Math.max(1, Math.round(box.width * scale))
  canvas.height = Math.max(1, Math.min(16384, Math.round(box.height * scale)))
  canvas.style.width = `${box.width}px`
  canvas.style.height = `${canvas.height / scale}px`
  const style = getComputedStyle(element)
  const context = canvas.getContext("2d")
  context.scale(scale, scale)
  context.fillStyle = style.color
  context.globalAlpha = 0.6
  context.font = style.font
  context.textAlign = "center"
  context.textBaseline = "middle"
  const range = document.createRange()
  for (const node of nodes) {
    for (const match of node.data.matchAll(/[ \t\n\r\f\u00a0\u3000]/g)) {
      const rect = spaceRect(range, node, match.index)
      if (rect) context.fillText(spaceSign(match[0]), rect.left - box.left + Math.max(rect.width / 2, rect.width ? 0 : 6), rect.top - box.top + rect.height / 2)
    }
  }
  return canvas
}

/** @param {Range} range @param {Text} node @param {number} offset @returns {DOMRect | undefined} */
function spaceRect(range, node, offset) {
  range.setStart(node, offset)
  range.setEnd(node, offset + 1)
  return range.getClientRects()[0]
}
