const MOVE = "Click or drag to move through the document"
/** Share of the strip that chunks keep where disagreements stand beside them. */
const OF_CHUNKS = 0.6

/** The whole document as a slim strip: boundaries, what is in sight, what is selected and marked, and disagreements. */
class Minimap {
  /** @param {HTMLCanvasElement} canvas @param {(units: number) => void} onJump scroll so that an offset is in the middle */
  constructor(canvas, onJump) {
    this.canvas = canvas
    this.onJump = onJump
    this.length = 1
    this.disagreements = new DisagreementMarks()
    canvas.addEventListener("pointerdown", (event) => this.press(event))
    canvas.addEventListener("pointermove", (event) => {
      if (canvas.hasPointerCapture?.(event.pointerId)) this.jump(event)
    })
  }

  /** @param {PointerEvent} event */
  press(event) {
    event.preventDefault()
    this.canvas.setPointerCapture?.(event.pointerId)
    this.jump(event)
  }

  /** @param {PointerEvent} event */
  jump(event) {
    const box = this.canvas.getBoundingClientRect()
    const share = Math.min(1, Math.max(0, (event.clientY - box.top) / box.height))
    this.onJump(Math.round(share * this.length))
  }

  /**
   * @param {Chunks} chunks @param {Layers} layers @param {number} length of the text in UTF-16 units
   * @param {[number, number]} seen the stretch in sight @param {{lines: string[], overlapLine: string, focusLine: string, text: string}} colours
   * @param {{settings: Settings, current: number, colours: string[]} | null} lanes the settings compared, and the disagreement gone to
   */
  draw(chunks, layers, length, seen, colours, lanes = null) {
    this.length = Math.max(1, length)
    this.canvas.title = lanes?.settings.places.length ? `${MOVE}; on the right, where the settings disagree` : MOVE
    const scale = devicePixelRatio || 1
    const { clientWidth: width, clientHeight: height } = this.canvas
    if (!width || !height) return
    const [across, along] = [Math.round(width * scale), Math.round(height * scale)]
    if (this.canvas.width !== across || this.canvas.height !== along) Object.assign(this.canvas, { width: across, height: along })
    const context = this.canvas.getContext("2d")
    context.setTransform(scale, 0, 0, scale, 0, 0)
    context.clearRect(0, 0, width, height)
    const y = (units) => (units / this.length) * height
    const apart = lanes !== null && lanes.settings.lanes.length > 1
    const inner = apart ? Math.round(width * OF_CHUNKS) : width
    if (layers.heat) this.drawHeat(context, chunks, layers.heat.levels, y, inner, colours)
    else this.drawChunks(context, chunks, y, inner, height, colours)
    if (apart) this.drawDisagreements(context, lanes, inner - 2, y, width, height, colours)
    this.drawMarks(context, chunks, layers, y, width, colours)
    this.drawWindow(context, y(seen[0]), Math.max(y(seen[1]) - y(seen[0]), 10), width, height, colours)
  }

  /** Bands while they can be told apart; else how closely boundaries lie, the closer the darker. */
  drawChunks(context, chunks, y, width, height, colours) {
    if (chunks.count * 2.5 <= height) {
      for (let index = 0; index < chunks.count; index++) {
        const top = y(chunks.starts[index])
        context.fillStyle = colours.lines[index % HUES]
        context.globalAlpha = 0.4
        context.fillRect(4, top, width - 8, Math.max(1, y(chunks.ends[index]) - top - 0.5))
        context.globalAlpha = 1
        context.fillRect(4, top, width - 8, 1)
      }
      return
    }
    const rows = new Uint32Array(Math.ceil(height) + 1)
    for (const start of chunks.starts) rows[Math.floor(y(start))]++
    const most = rows.reduce((a, b) => Math.max(a, b), 1)
    context.fillStyle = colours.overlapLine
    rows.forEach((count, row) => {
      if (!count) return
      context.globalAlpha = 0.15 + 0.6 * (count / most)
      context.fillRect(4, row, width - 8, 1)
    })
    context.globalAlpha = 1
  }

  /** Beside the chunks, and the one gone to across everything. */
  drawDisagreements(context, { settings, current, colours: ofLanes }, left, y, width, height, colours) {
    this.disagreements.meet(settings, height, this.length)
    this.disagreements.draw(context, left, width - 1, ofLanes, colours.text)
    if (current < 0) return
    context.fillStyle = colours.text
    context.fillRect(0, Math.min(height - 2, y(settings.places[current]) - 1), width, 2)
  }

  /** The hotter a chunk, the fuller its band. */
  drawHeat(context, chunks, levels, y, width, colours) {
    context.fillStyle = colours.heatLine
    for (let index = 0; index < chunks.count; index++) {
      if (!levels[index]) continue
      const top = y(chunks.starts[index])
      context.globalAlpha = 0.25 * levels[index]
      context.fillRect(4, top, width - 8, Math.max(1, y(chunks.ends[index]) - top))
    }
    context.globalAlpha = 1
  }

  /** Marked chunks on the left edge, the focused gap, and the selected chunk across everything. */
  drawMarks(context, chunks, layers, y, width, colours) {
    for (const index of layers.marked) {
      if (index >= chunks.count) continue
      context.fillStyle = layers.heat ? colours.heatLine : colours.lines[index % HUES]
      context.fillRect(0, y(chunks.starts[index]), 4, Math.max(2, y(chunks.ends[index]) - y(chunks.starts[index])))
    }
    if (layers.focus) {
      context.fillStyle = colours.focusLine
      context.fillRect(0, y(layers.focus[0]) - 1, width, Math.max(3, y(layers.focus[1]) - y(layers.focus[0])))
    }
    if (layers.selected >= 0) {
      const top = y(chunks.starts[layers.selected])
      const high = Math.max(4, y(chunks.ends[layers.selected]) - top)
      context.fillStyle = colours.lines[layers.selected % HUES]
      context.fillRect(1, top - 0.5, width - 2, high + 1)
    }
  }

  /** The frame round what is in sight. */
  drawWindow(context, top, high, width, height, colours) {
    const at = Math.min(top, height - high)
    context.fillStyle = colours.text
    context.globalAlpha = 0.1
    context.fillRect(0, at, width, high)
    context.globalAlpha = 0.75
    context.strokeStyle = colours.text
    context.lineWidth = 1.5
    context.strokeRect(0.75, at + 0.75, width - 1.5, Math.max(high - 1.5, 1))
    context.globalAlpha = 1
  }
}
