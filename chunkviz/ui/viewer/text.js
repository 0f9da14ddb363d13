/** How many UTF-16 units of text one block should hold: one text node, painted as one. */
const BLOCK_UNITS = 3072
/** A line end up to this far behind the target is preferred to a cut inside the line. */
const BLOCK_LIMIT = 6144
/** Letters that are written from right to left: Hebrew, Arabic, Syriac, Thaana, N'Ko and their forms. */
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/
const NUMBERS = new Intl.NumberFormat("en-US")

/** @param {number} value @returns {string} */
function grouped(value) {
  return NUMBERS.format(value)
}

/** @param {number} count @param {string} noun @returns {string} "1 token", "2,013 tokens" */
function counted(count, noun) {
  return `${grouped(count)} ${noun}${count === 1 ? "" : "s"}`
}

/** An element with a class and a text. @param {string} tag @param {string} name @param {string} [text] @returns {HTMLElement} */
function made(tag, name, text = "") {
  const element = document.createElement(tag)
  if (name) element.className = name
  if (text) element.textContent = text
  return element
}

/**
 * Place of the last entry that is not above a value.
 * @param {ArrayLike<number>} sorted @param {number} value @returns {number} -1 when all are above
 */
function lastAtOrBefore(sorted, value) {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (sorted[middle] <= value) low = middle + 1
    else high = middle
  }
  return low - 1
}

/** A document as the browser holds it: its text, where its blocks begin, and both ways of counting offsets. */
class DocumentText {
  /** @param {object} head of the message @param {Uint8Array} bytes UTF-8 */
  constructor(head, bytes) {
    this.id = head.document
    this.name = head.name
    this.code = head.format === "code"
    // Without ignoreBOM a first U+FEFF would vanish, and every offset with it.
    this.text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes)
    this.astral = this.text.length === head.length ? new Uint32Array(0) : astralPoints(this.text)
    this.blocks = blockStarts(this.text)
    this.pages = head.pages
    this.headingStarts = head.headings.map(([, start]) => start)
    this.headingPaths = headingPaths(head.headings)
    this.blank = !/\S/.test(this.text.slice(0, 65536)) && !/\S/.test(this.text)
    this.lowered = null
  }

  /** @param {number} points offset in code points @returns {number} offset in UTF-16 units */
  toUnits(points) {
    return this.astral.length ? points + lastAtOrBefore(this.astral, points - 1) + 1 : points
  }

  /** @param {number} units offset in UTF-16 units @returns {number} offset in code points */
  toPoints(units) {
    if (!this.astral.length) return units
    let low = 0
    let high = this.astral.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.astral[middle] + middle < units) low = middle + 1
      else high = middle
    }
    return units - low
  }

  /** @param {number} points @returns {string[]} titles of the headings in force, outermost first */
  headingsAt(points) {
    return this.headingPaths[lastAtOrBefore(this.headingStarts, points)] ?? []
  }

  /** @param {number} points @returns {number | null} page number from 1 */
  pageAt(points) {
    return this.pages.length ? Math.max(1, lastAtOrBefore(this.pages, points) + 1) : null
  }

  /** @param {number} block @returns {number} where it ends, in UTF-16 units */
  blockEnd(block) {
    return block + 1 < this.blocks.length ? this.blocks[block + 1] : this.text.length
  }

  /** @param {number} units @returns {number} the block that holds this offset */
  blockAt(units) {
    return Math.max(0, lastAtOrBefore(this.blocks, Math.min(units, Math.max(0, this.text.length - 1))))
  }

  /** @returns {string | null} the text in lower case, or null where that would move offsets */
  lowerCase() {
    if (this.lowered === null) {
      const lower = this.text.toLowerCase()
      this.lowered = lower.length === this.text.length ? lower : false
    }
    return this.lowered || null
  }
}

/** @param {string} text @returns {Uint32Array} code point offsets of the characters that take two units */
function astralPoints(text) {
  const found = []
  for (let unit = 0; unit < text.length; unit++) {
    const code = text.charCodeAt(unit)
    if (code >= 0xd800 && code < 0xdc00) found.push(unit++ - found.length)
  }
  return Uint32Array.from(found)
}

/** @param {[number, number, string][]} headings level, start, title @returns {string[][]} path at each heading */
function headingPaths(headings) {
  const open = []
  return headings.map(([level, , title]) => {
    while (open.length && open[open.length - 1].level >= level) open.pop()
    open.push({ level, title })
    return open.map((each) => each.title)
  })
}

/** @param {string} text @returns {Uint32Array} where each block begins, in UTF-16 units */
function blockStarts(text) {
  const starts = [0]
  let start = 0
  while (text.length - start > BLOCK_LIMIT) {
    start = blockCut(text, start)
    starts.push(start)
  }
  return Uint32Array.from(starts)
}

/** @param {string} text @param {number} start @returns {number} where the block that begins at start should end */
function blockCut(text, start) {
  const back = text.lastIndexOf("\n", start + BLOCK_UNITS - 1)
  if (back >= start + BLOCK_UNITS / 4) return back + 1
  const ahead = text.slice(start + BLOCK_UNITS, start + BLOCK_LIMIT).indexOf("\n")
  if (ahead >= 0) return start + BLOCK_UNITS + ahead + 1
  const space = text.lastIndexOf(" ", start + BLOCK_UNITS - 1)
  return space >= start + BLOCK_UNITS / 4 ? space + 1 : graphemeCut(text, start + BLOCK_UNITS)
}

/** @param {string} text @param {number} near @returns {number} a place near by that splits no character people see */
function graphemeCut(text, near) {
  const from = near - 256
  let cut = near
  for (const { index } of new Intl.Segmenter().segment(text.slice(from, near + 256))) {
    if (from + index > near) break
    // The first and second pieces of a slice may have begun before it.
    if (index > 64) cut = from + index
  }
  const code = text.charCodeAt(cut)
  return code >= 0xdc00 && code < 0xe000 ? cut - 1 : cut
}

/**
 * The beginning of a passage on one line.
 * @param {string} text @param {number} start @param {number} end @param {number} limit @returns {string}
 */
function firstWords(text, start, end, limit) {
  const line = text.slice(start, Math.min(end, start + limit * 3)).replace(/\s+/g, " ").trim()
  const points = Array.from(line)
  return points.length > limit ? `${points.slice(0, limit).join("").trimEnd()}…` : end > start + limit * 3 ? `${line}…` : line
}
