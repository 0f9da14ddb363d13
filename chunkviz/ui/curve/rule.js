/**
 * The rule by which similarities become boundaries: the same as the core's, number for number, so
 * that a threshold can be moved without asking anybody. Tests hold the two against each other.
 */
class Rule {
  /** @param {object} head @param {Record<string, ArrayLike<number>>} columns */
  constructor(head, columns) {
    Object.assign(this, columns)
    this.signal = columns.signal ?? columns.similarities
    this.count = columns.segmentEnds.length
    this.minChunkSize = head.minChunkSize
    this.minSize = head.minSize
    this.maxSize = head.maxSize
    this.inTokens = head.unit === "tokens"
    this.exact = head.exact
    this.exceptional = new Map()
    const rows = columns.exceptions
    for (let at = 0; at < rows.length; at += 3) this.exceptional.set(`${rows[at]} ${rows[at + 1]}`, rows[at + 2])
    const allowed = []
    for (let place = 0; place < this.signal.length; place++) if (this.allowed[place]) allowed.push(this.signal[place])
    this.values = Float32Array.from(allowed).sort()
  }

  /** Tokens from a place of the plan to the end of a segment. @param {number} place @param {number} last @returns {number} */
  tokens(place, last) {
    const known = this.exceptional.size ? this.exceptional.get(`${place} ${last}`) : undefined
    return known ?? this.heads[place] + this.tails[last]
  }

  /** Size of a run of segments in the strategy's unit. @param {number} first @param {number} last @returns {number} */
  size(first, last) {
    return this.inTokens ? this.tokens(first, last) : this.segmentEnds[last] - this.starts[first]
  }

  /**
   * Where boundaries fall, and where one is held back by the smallest number of segments.
   * @param {number} threshold @returns {{cuts: number[], held: number[]}}
   */
  cuts(threshold) {
    const limit = Math.fround(threshold)
    const cuts = []
    const held = []
    let earliest = this.minChunkSize - 1
    for (let place = 0; place < this.signal.length; place++) {
      if (!(this.signal[place] < limit) || !this.allowed[place]) continue
      if (place < earliest) held.push(place)
      else {
        cuts.push(place)
        earliest = place + this.minChunkSize
      }
    }
    return { cuts, held }
  }

  /** Groups between cuts, small ones joined to the more similar neighbour. @param {number[]} cuts @returns {[number, number][]} */
  groups(cuts) {
    const groups = []
    let first = 0
    for (const cut of [...cuts, this.count - 1]) {
      groups.push([first, cut])
      first = cut + 1
    }
    return this.minSize && this.count ? this.joinSmall(groups) : groups
  }

  /** @param {[number, number][]} groups @returns {[number, number][]} */
  joinSmall(groups) {
    const done = []
    const ahead = groups.reverse()
    while (ahead.length) {
      const [first, last] = ahead.pop()
      if (this.size(first, last) < this.minSize) {
        const before = done.length && this.size(done[done.length - 1][0], last) <= this.maxSize ? this.similarities[first - 1] : null
        const next = ahead[ahead.length - 1]
        const behind = next && this.size(first, next[1]) <= this.maxSize ? this.similarities[last] : null
        if (before !== null && (behind === null || before >= behind)) {
          ahead.push([done.pop()[0], last])
          continue
        }
        if (behind !== null) {
          ahead.push([first, ahead.pop()[1]])
          continue
        }
      }
      done.push([first, last])
    }
    return done
  }

  /**
   * Everything a threshold gives.
   * @param {number} threshold
   * @returns {{starts: number[], ends: number[], tokens: number[], forced: boolean[], cuts: number[], held: number[], joined: number[]}}
   *   of each piece; ``forced`` where it ends because of the maximum; places of boundaries, of those
   *   held back, and of those undone by joining
   */
  pieces(threshold) {
    if (!this.count) return { starts: [], ends: [], tokens: [], forced: [], cuts: [], held: [], joined: [] }
    const { cuts, held } = this.cuts(threshold)
    const groups = this.groups(cuts)
    const [starts, ends, tokens, forced] = [[], [], [], []]
    for (const [first, last] of groups) {
      let place = first
      while (last > this.reach[place] && this.following[place] >= 0) {
        starts.push(this.starts[place])
        ends.push(this.pieceEnds[place])
        tokens.push(this.sizes[place])
        forced.push(true)
        place = this.following[place]
      }
      starts.push(this.starts[place])
      ends.push(this.segmentEnds[last])
      tokens.push(this.tokens(place, last))
      forced.push(false)
    }
    const kept = new Set(groups.map(([, last]) => last))
    return { starts, ends, tokens, forced, held, cuts: cuts.filter((cut) => kept.has(cut)), joined: cuts.filter((cut) => !kept.has(cut)) }
  }

  /** The shortest number that cuts at the same places. @param {number} threshold @returns {number} */
  simplest(threshold) {
    const at = lowerBound(this.values, Math.fround(threshold))
    const below = at > 0 ? this.values[at - 1] : -Infinity
    const above = at < this.values.length ? this.values[at] : Infinity
    for (let digits = 2; digits < 8; digits++) {
      const short = Number(threshold.toFixed(digits))
      const held = Math.fround(short)
      if (held > below && held <= above && short >= -1 && short <= 1) return short
    }
    return threshold
  }

  /** The next threshold up or down that changes something. @param {number} threshold @param {number} by values @returns {number} */
  next(threshold, by) {
    const { values } = this
    if (!values.length) return threshold
    const at = lowerBound(values, Math.fround(threshold)) + by
    if (at <= 0) return values[0]
    if (at >= values.length) return Math.min(1, values[values.length - 1] + 0.001)
    return (values[at - 1] + values[at]) / 2
  }
}

/** First place whose value is not below. @param {ArrayLike<number>} sorted @param {number} value @returns {number} */
function lowerBound(sorted, value) {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (sorted[middle] < value) low = middle + 1
    else high = middle
  }
  return low
}
