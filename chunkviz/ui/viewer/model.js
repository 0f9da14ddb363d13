/** Inflate a body if its head says so. @param {{head: object, body: Uint8Array}} message @returns {Promise<Uint8Array>} */
async function bodyOf({ head, body }) {
  if (!head.packed) return body
  const stream = new Blob([body]).stream().pipeThrough(new DecompressionStream("deflate"))
  return new Uint8Array(await new Response(stream).arrayBuffer())
}

/** Reads unsigned LEB128 numbers one after the other. */
class NumberReader {
  /** @param {Uint8Array} bytes */
  constructor(bytes) {
    this.bytes = bytes
    this.at = 0
  }

  /** @returns {number} */
  next() {
    let value = 0
    let scale = 1
    for (;;) {
      const byte = this.bytes[this.at++]
      value += (byte & 0x7f) * scale
      if (byte < 0x80) return value
      scale *= 128
    }
  }

  /** @param {number} count @returns {Uint32Array} */
  column(count) {
    const values = new Uint32Array(count)
    for (let row = 0; row < count; row++) values[row] = this.next()
    return values
  }
}

/** All chunks of one chunking, as columns; offsets in both ways of counting. */
class Chunks {
  /** @param {object} head @param {Uint8Array} body @param {DocumentText} text */
  constructor(head, body, text) {
    this.fingerprint = head.chunking
    this.strategy = head.strategy
    this.count = head.count
    this.labels = head.reasons
    const numbers = new NumberReader(body)
    const gaps = numbers.column(this.count)
    const lengths = numbers.column(this.count)
    this.tokens = numbers.column(this.count)
    this.reasons = numbers.column(this.count)
    this.pointStarts = new Uint32Array(this.count)
    this.pointEnds = new Uint32Array(this.count)
    this.placeChunks(gaps, lengths)
    this.parents = head.parents ? new Parents(head.parents, this.count, numbers, text) : null
    const plain = text.astral.length === 0
    this.starts = plain ? this.pointStarts : this.pointStarts.map((points) => text.toUnits(points))
    this.ends = plain ? this.pointEnds : this.pointEnds.map((points) => text.toUnits(points))
  }

  /**
   * Chunks of plain columns, offsets in code points.
   * @param {{starts: number[], ends: number[], tokens: number[], reasons: number[], labels: string[]}} columns
   * @param {DocumentText} text @returns {Chunks}
   */
  static of({ starts, ends, tokens, reasons, labels }, text) {
    const chunks = Object.create(Chunks.prototype)
    const units = text.astral.length ? (points) => text.toUnits(points) : (points) => points
    return Object.assign(chunks, {
      fingerprint: "preview",
      strategy: "",
      count: starts.length,
      labels,
      reasons,
      tokens,
      pointStarts: Uint32Array.from(starts),
      pointEnds: Uint32Array.from(ends),
      starts: Uint32Array.from(starts, units),
      ends: Uint32Array.from(ends, units),
    })
  }

  /** @param {Uint32Array} gaps zigzag distance to the end before @param {Uint32Array} lengths */
  placeChunks(gaps, lengths) {
    let end = 0
    for (let index = 0; index < this.count; index++) {
      const start = end + ((gaps[index] >>> 1) ^ -(gaps[index] & 1))
      end = start + lengths[index]
      this.pointStarts[index] = start
      this.pointEnds[index] = end
    }
  }

  /** Last chunk that starts at or before an offset. @param {number} units @returns {number} -1 when none does */
  at(units) {
    return lastAtOrBefore(this.starts, units)
  }

  /** First chunk that ends behind an offset. @param {number} units @returns {number} count when none does */
  endingAfter(units) {
    return lastAtOrBefore(this.ends, units) + 1
  }

  /** Chunks that hold a character, first to last. @param {number} units @returns {number[]} */
  covering(units) {
    const found = []
    const last = this.at(units)
    for (let index = this.endingAfter(units); index <= last; index++) found.push(index)
    return found
  }

  /** @param {number} index @returns {number} characters */
  size(index) {
    return this.pointEnds[index] - this.pointStarts[index]
  }

  /** Characters shared with the chunk before. @param {number} index @returns {number} */
  overlapBefore(index) {
    return index > 0 && index < this.count ? Math.max(0, this.pointEnds[index - 1] - this.pointStarts[index]) : 0
  }

  /** Why a chunk begins. @param {number} index @returns {string} */
  beginsAt(index) {
    return index === 0 ? "start of document" : this.endsAt(index - 1)
  }

  /** Why a chunk ends. @param {number} index @returns {string} */
  endsAt(index) {
    return this.labels[this.reasons[index]]
  }

  /** @param {number} index @returns {string} "[0, 2,013)" */
  span(index) {
    return `[${grouped(this.pointStarts[index])}, ${grouped(this.pointEnds[index])})`
  }
}

/** Marked indices of a pointer message. @param {object} head @param {NumberReader} numbers of its body @returns {Set<number>} */
function markedOf(head, numbers) {
  const marked = new Set()
  let index = 0
  for (const step of numbers.column(head.marked)) marked.add((index += step))
  return marked
}

/**
 * @typedef {object} Heat how strongly chunks answer a question
 * @property {Uint32Array} levels 0 to 3, one a chunk
 * @property {Map<number, {rank: number, label: string}>} hits by index of the chunk
 * @property {string[]} bounds least score of each strength
 * @property {string} unit what the scores are
 */

/** Heat of a pointer message; the marked indices have been read. @param {object} head @param {NumberReader} numbers @param {number} count @returns {Heat | null} */
function heatOf(head, numbers, count) {
  if (!head.heat) return null
  const { hits, bounds, unit } = head.heat
  const ranked = hits.map(([index, label], place) => [index, { rank: place + 1, label }])
  return { levels: numbers.column(count), hits: new Map(ranked), bounds, unit }
}
