const LANE_COLUMN = 13
/** More ticks than this near the window would be a smear, and slow. */
const MOST_TICKS = 900

/** Boundaries of several settings as columns, in UTF-16 units, with the settings that cut at each. */
class Settings {
  /** @param {object} head @param {Uint8Array} body @param {DocumentText} text */
  constructor(head, body, text) {
    const numbers = new NumberReader(body)
    this.document = head.document
    this.colours = head.colours
    this.all = 2 ** head.lanes.length - 1
    this.lanes = head.lanes.map(({ name, letter, count }) => {
      const offsets = numbers.column(count)
      for (let row = 1; row < count; row++) offsets[row] += offsets[row - 1]
      return { name, letter, offsets: text.astral.length ? offsets.map((points) => text.toUnits(points)) : offsets, cutBy: numbers.column(count) }
    })
    this.findDisagreements()
  }

  /** Places where some settings cut and others do not, each once, in order. */
  findDisagreements() {
    const found = []
    this.lanes.forEach(({ offsets, cutBy }, lane) => {
      const own = 2 ** lane
      cutBy.forEach((bits, row) => {
        // Of the settings that cut there, the first one counts the place.
        if (bits !== this.all && bits % (2 * own) === own) found.push([offsets[row], bits])
      })
    })
    found.sort((one, other) => one[0] - other[0])
    this.places = Uint32Array.from(found, ([units]) => units)
    this.placesCutBy = Uint32Array.from(found, ([, bits]) => bits)
  }

  /** @param {number} bits @returns {object[]} the settings that cut there */
  cutting(bits) {
    return this.lanes.filter((_, lane) => bits & (1 << lane))
  }

  /** @param {number} bits @returns {"all" | "some" | "own"} */
  kind(bits) {
    return bits === this.all ? "all" : bits & (bits - 1) ? "some" : "own"
  }

  /** @param {number} bits @returns {string} "A and C cut here, B does not" */
  describe(bits) {
    const letters = (lanes) => listed(lanes.map(({ letter }) => letter))
    const [cut, others] = [this.cutting(bits), this.cutting(this.all & ~bits)]
    if (!others.length) return cut.length === 1 ? "Cuts here" : cut.length === 2 ? "Both settings cut here" : `All ${cut.length} settings cut here`
    return `${letters(cut)} ${cut.length === 1 ? "cuts" : "cut"} here, ${letters(others)} ${others.length === 1 ? "does" : "do"} not`
  }
}

/** A column for each setting beside the text, letters in the text where they disagree, and keys to go through them. */
class Lanes {
  /** @param {Viewer} viewer */
  constructor(viewer) {
    this.viewer = viewer
    this.settings = null
    this.current = -1
    this.element = made("div", "lanes")
    this.element.setAttribute("role", "group")
    this.element.setAttribute("aria-label", "Boundaries of the settings in sight")
    this.cuts = made("div", "cuts")
    this.heads = made("div", "lane-heads")
    this.bar = new LayerBar(viewer, { one: "disagreement", key: "d", onStep: (by) => this.step(by) })
    this.key = made("div", "lane-key")
    this.bar.element.append(this.key)
    viewer.parts.sheet.append(this.element, this.cuts)
    viewer.parts.reading.append(this.heads)
    for (const element of [this.element, this.cuts]) {
      element.onclick = (event) => this.click(event)
      element.onpointermove = (event) => this.hover(event)
      element.onpointerleave = () => viewer.hideTooltip()
    }
  }

  /** Take a message, or what an earlier one left; of another document it is nothing. @param {object | null} sent */
  meet(sent) {
    const { text } = this.viewer
    const fits = sent?.head.document === text.id && sent.head.lanes.length > 0
    const wanted = fits ? sent : null
    if (this.sent === wanted) return
    this.sent = wanted
    this.settings = wanted && new Settings(wanted.head, wanted.body, text)
    this.current = -1
    this.show()
  }

  /** Make room, and name the settings. */
  show() {
    const { viewer, settings } = this
    const lanes = settings?.lanes ?? []
    viewer.element.classList.toggle("laned", lanes.length > 0)
    viewer.element.style.setProperty("--lanes", lanes.length ? `${lanes.length * LANE_COLUMN + 5}px` : "0px")
    this.paint()
    this.heads.replaceChildren(...lanes.map((lane, place) => laneSign(lane, place)))
    this.bar.show(lanes.length > 0)
    this.key.replaceChildren(...(settings ? keyParts(settings) : []))
    this.tell()
    viewer.drawSoon()
  }

  /** Colours of the theme; it may change while the viewer is open. */
  paint() {
    const { element } = this.viewer
    const colours = this.settings?.colours[element.dataset.theme] ?? []
    colours.forEach((colour, place) => element.style.setProperty(`--lane-${place}`, colour))
  }

  /**
   * Make what is near the window. All is measured before anything is put in place, here or by others, because
   * the browser lays out anew when it is asked for a place after a change.
   * @param {number} from @param {number} to in UTF-16 units @param {Places} places @returns {() => void} puts it in place
   */
  prepare(from, to, places) {
    const ticks = document.createDocumentFragment()
    const cuts = document.createDocumentFragment()
    if (this.settings) {
      this.settings.lanes.forEach((lane, column) => this.drawLane(lane, column, from, to, places, ticks))
      this.drawCuts(from, to, places, cuts)
    }
    return () => {
      this.element.replaceChildren(ticks)
      this.cuts.replaceChildren(cuts)
    }
  }

  /** Ticks of one setting that are near the window. */
  drawLane({ offsets, cutBy }, column, from, to, places, parts) {
    const first = lastAtOrBefore(offsets, from) + 1
    const most = first + Math.floor(MOST_TICKS / this.settings.lanes.length)
    for (let row = first; row < offsets.length && offsets[row] <= to && row < most; row++) {
      const top = places.heightOf(offsets[row])
      if (top === null) continue
      const tick = made("i", `lane-tick ${this.settings.kind(cutBy[row])} lane-${column}`)
      tick.setAttribute("role", "img")
      tick.dataset.units = offsets[row]
      tick.dataset.cutBy = cutBy[row]
      tick.setAttribute("aria-label", this.settings.describe(cutBy[row]))
      tick.classList.toggle("current", this.current >= 0 && offsets[row] === this.settings.places[this.current])
      tick.style.cssText = `left:${column * LANE_COLUMN}px;top:${top}px;`
      parts.append(tick)
    }
  }

  /** A thin line with the letters of those that cut, at each disagreement near the window. */
  drawCuts(from, to, places, parts) {
    const { settings } = this
    const first = lastAtOrBefore(settings.places, from) + 1
    for (let row = first; row < settings.places.length && settings.places[row] <= to && row - first < MOST_MARKS; row++) {
      const edge = places.edgeOf(settings.places[row])
      if (!edge) continue
      const bits = settings.placesCutBy[row]
      const cutting = settings.cutting(bits)
      const cut = made("div", `lane-cut ${cutting.length === 1 ? `lane-${settings.lanes.indexOf(cutting[0])}` : "several"}`)
      cut.classList.toggle("current", row === this.current)
      cut.dataset.units = settings.places[row]
      cut.dataset.cutBy = bits
      cut.style.cssText = `left:${edge.x}px;top:${edge.top - 3}px;height:${edge.bottom - edge.top + 6}px;`
      cut.append(made("span", "letters", cutting.map(({ letter }) => letter).join("")))
      parts.append(cut)
    }
  }

  /** @param {number} by */
  step(by) {
    const count = this.settings?.places.length ?? 0
    if (!count) return
    const from = this.current >= 0 ? this.current + by : lastAtOrBefore(this.settings.places, Math.floor(this.viewer.page.seen()[0])) + 1
    this.goTo(Math.min(count - 1, Math.max(0, from)))
  }

  /** @param {number} place number of a disagreement */
  goTo(place) {
    const { page } = this.viewer
    this.current = place
    const units = this.settings.places[place]
    if (!page.inSight(Math.max(0, units - 1), units)) page.scrollTo(Math.max(0, units - 1), 0.35)
    this.viewer.drawSoon()
    this.tell()
    this.viewer.parts.live.textContent = `${this.bar.count.textContent}. ${this.bar.said.textContent}`
  }

  /** What the slim strip needs of them, or null where nothing is compared. */
  onMinimap() {
    const { settings, current } = this
    return settings && { settings, current, colours: settings.colours[this.viewer.element.dataset.theme] ?? settings.colours.light }
  }

  /** Count and sentence beside the buttons. */
  tell() {
    const { settings, current } = this
    if (!settings) return
    this.bar.tell(settings.places.length, current)
    if (current >= 0) return this.bar.say(settings.describe(settings.placesCutBy[current]), this.wordsAt(settings.places[current]))
    const none = settings.lanes.length > 1 ? "All settings cut at the same places." : ""
    return this.bar.say(settings.places.length ? "Press d for the next one, Shift+d for the one before." : none)
  }

  /** @param {number} units @returns {string} the words on both sides of a place */
  wordsAt(units) {
    const { text } = this.viewer.text
    const before = text.slice(Math.max(0, units - 28), units).replace(/\s+/g, " ").replace(/^\S* /, "").trim()
    const behind = text.slice(units, units + 28).replace(/\s+/g, " ").replace(/ \S*$/, "").trim()
    return `…${before} | ${behind}…`
  }

  /** A click on a tick or a letter makes its place the current one. @param {MouseEvent} event */
  click(event) {
    const part = event.target.closest("[data-units]")
    if (!part) return
    event.stopPropagation()
    const bits = Number(part.dataset.cutBy)
    if (bits === this.settings.all) {
      this.bar.say(this.settings.describe(bits), this.wordsAt(Number(part.dataset.units)))
      this.viewer.parts.live.textContent = this.bar.said.textContent
      return
    }
    const { places, placesCutBy } = this.settings
    // With a tolerance the settings of one place cut a little apart; the nearest place with the same ones is meant.
    let nearest = -1
    for (let row = 0; row < places.length; row++) {
      if (placesCutBy[row] !== bits) continue
      if (nearest < 0 || Math.abs(places[row] - part.dataset.units) < Math.abs(places[nearest] - part.dataset.units)) nearest = row
    }
    this.goTo(nearest)
  }

  /** @param {PointerEvent} event */
  hover(event) {
    const part = event.target.closest("[data-units]")
    if (!part || event.pointerType === "touch") return this.viewer.hideTooltip()
    event.stopPropagation()
    const bits = Number(part.dataset.cutBy)
    const about = made("div", "about-cut")
    about.append(made("strong", "", this.settings.describe(bits)))
    this.settings.lanes.forEach((lane, place) => {
      const row = made("div", bits & (1 << place) ? "cuts-here" : "cuts-not")
      row.append(made("span", "sign", bits & (1 << place) ? "✓" : "–"), laneSign(lane, place), made("span", "", lane.name))
      about.append(row)
    })
    return this.viewer.showBeside([about], event)
  }
}

/** Where offsets are on the screen; measured once each. */
class Places {
  /** @param {Viewer} viewer */
  constructor(viewer) {
    this.overlay = viewer.overlay
    this.origin = viewer.parts.overlay.getBoundingClientRect()
    const box = viewer.parts.blocks.getBoundingClientRect()
    this.left = box.left - this.origin.left
    this.width = box.width || 1
    this.line = parseFloat(getComputedStyle(viewer.parts.blocks).lineHeight) || 26
    this.edges = new Map()
  }

  /** @param {number} units behind the last character before the place @returns {{x: number, top: number, bottom: number, leftward: boolean} | null} */
  edgeOf(units) {
    if (!this.edges.has(units)) this.edges.set(units, this.overlay.edge(units, "after", this.origin))
    return this.edges.get(units)
  }

  /** How far down a lane a place is: places of one line follow each other from its top to its bottom. @returns {number | null} */
  heightOf(units) {
    const edge = this.edgeOf(units)
    if (!edge) return null
    const along = Math.min(1, Math.max(0, (edge.x - this.left) / this.width))
    return (edge.top + edge.bottom - this.line) / 2 + this.line * (edge.leftward ? 1 - along : along)
  }
}

/** Buttons from one thing to the next, with the count and what is said of the current one. */
class LayerBar {
  /** @param {Viewer} viewer @param {{one: string, key: string, onStep: (by: number) => void}} names */
  constructor(viewer, { one, key, onStep }) {
    this.one = one
    this.element = made("div", `layer-bar ${one}s`)
    this.element.setAttribute("role", "group")
    this.element.setAttribute("aria-label", `${capitalised(one)}s`)
    const button = (sign, word, keys, by) => {
      const element = made("button", by < 0 ? "previous" : "next", sign)
      element.type = "button"
      element.title = `${word} ${one} (${keys})`
      element.setAttribute("aria-label", `${word} ${one}`)
      element.onclick = () => onStep(by)
      return element
    }
    this.buttons = [button("‹", "Previous", `Shift+${key}`, -1), button("›", "Next", key, 1)]
    this.count = made("span", "layer-count")
    this.said = made("span", "layer-said")
    const steps = made("div", "group")
    steps.append(this.buttons[0], this.count, this.buttons[1])
    this.element.append(steps, this.said)
    this.element.onkeydown = (event) => viewer.pressLayer(event)
    viewer.element.querySelector(".main").before(this.element)
    this.show(false)
  }

  /** @param {boolean} shown */
  show(shown) {
    this.element.hidden = !shown
  }

  /** @param {number} count @param {number} current or -1 */
  tell(count, current) {
    this.count.textContent = current >= 0 ? `${capitalised(this.one)} ${grouped(current + 1)} of ${grouped(count)}` : count === 0 ? `No ${this.one}` : counted(count, this.one)
    for (const button of this.buttons) button.disabled = count === 0
  }

  /** @param {string} sentence @param {string} [words] of the document */
  say(sentence, words = "") {
    this.said.replaceChildren(sentence, ...(words ? [": ", made("q", "", words)] : []))
  }
}

/** @param {{name: string, letter: string}} lane @param {number} place @returns {HTMLElement} its letter in its colour; the name is its tooltip */
function laneSign({ name, letter }, place) {
  const sign = made("span", `lane-sign lane-${place}`, letter)
  sign.title = name
  sign.setAttribute("role", "img")
  sign.setAttribute("aria-label", `${letter}: ${name}`)
  return sign
}

/** What letters and signs mean. @param {Settings} settings @returns {HTMLElement[]} */
function keyParts(settings) {
  const names = settings.lanes.map((lane, place) => {
    const part = made("span", "lane-name")
    part.append(laneSign(lane, place), made("span", "", lane.name))
    return part
  })
  const count = settings.lanes.length
  const signs = [["all", count === 2 ? "both cut" : `all ${count} cut`], ...(count > 2 ? [["some", "some cut"]] : []), ["own", "only this one cuts"]]
  return [
    ...names,
    ...(count > 1 ? signs : []).map(([kind, words]) => {
      const part = made("span", "lane-name quiet")
      part.append(made("i", `lane-tick ${kind}`), words)
      return part
    }),
  ]
}

/** @param {string[]} words @returns {string} "A, B and C" */
function listed(words) {
  return words.length > 1 ? `${words.slice(0, -1).join(", ")} and ${words[words.length - 1]}` : words[0] ?? ""
}

/** @param {string} word @returns {string} */
function capitalised(word) {
  return word[0].toUpperCase() + word.slice(1)
}
