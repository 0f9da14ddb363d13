/**
 * Where settings disagree along the whole document, for the slim strip: one mark a row of pixels, the longer the more
 * places it stands for. Worked out anew when the settings or the height change, and not at each drawing.
 */
class DisagreementMarks {
  constructor() {
    this.settings = null
    this.height = 0
  }

  /** @param {Settings} settings @param {number} height in pixels @param {number} length of the text in UTF-16 units */
  meet(settings, height, length) {
    if (this.settings === settings && this.height === height) return
    Object.assign(this, { settings, height })
    const rows = Math.ceil(height)
    this.counts = new Uint32Array(rows)
    this.cutBy = new Uint32Array(rows)
    settings.places.forEach((units, place) => {
      const row = Math.min(rows - 1, Math.floor((units / length) * height))
      this.counts[row]++
      this.cutBy[row] |= settings.placesCutBy[place]
    })
    this.most = this.counts.reduce((a, b) => Math.max(a, b), 1)
    // So few that each can be seen by itself.
    this.thick = settings.places.length * 6 <= height ? 2 : 1
  }

  /**
   * A mark is in the colour of the one setting that cuts there, and in that of the text where several do.
   * @param {CanvasRenderingContext2D} context @param {number} left @param {number} right
   * @param {string[]} colours of the settings @param {string} several colour of several
   */
  draw(context, left, right, colours, several) {
    const { counts, cutBy, most } = this
    const shortest = Math.min(3, right - left)
    for (let row = 0; row < counts.length; row++) {
      if (!counts[row]) continue
      const bits = cutBy[row]
      context.fillStyle = bits & (bits - 1) ? several : colours[31 - Math.clz32(bits)]
      context.fillRect(left, row, shortest + (right - left - shortest) * (counts[row] / most), this.thick)
    }
  }
}
