/** How many colours chunks take in turn. */
const HUES = 4
/**
 * Fills are faint: text keeps 4.5:1 even where a marked, selected overlap is focused. Lines and
 * numbers reach 4.5:1 on the page.
 */
const PALETTES = {
  light: {
    hues: ["37, 99, 235", "202, 110, 4", "5, 140, 105", "147, 51, 234"],
    lines: ["#1d4ed8", "#a14a07", "#047257", "#7e22ce"],
    fill: 0.13,
    marked: 0.12,
    selected: 0.26,
    overlap: "rgba(71, 85, 105, 0.20)",
    overlapLine: "#475569",
    heat: "234, 88, 12",
    heats: [0.13, 0.27, 0.44],
    heatLine: "#9a3412",
    focus: "rgba(220, 38, 38, 0.18)",
    focusLine: "#b91c1c",
    unseen: "#57606c",
    finding: "rgba(217, 119, 6, 0.16)",
    findingLine: "#8a4b08",
  },
  dark: {
    hues: ["96, 165, 250", "245, 170, 66", "52, 211, 160", "192, 132, 252"],
    lines: ["#8dbdff", "#f5bd6b", "#5fdcb1", "#d0a9ff"],
    fill: 0.16,
    marked: 0.12,
    selected: 0.22,
    overlap: "rgba(203, 213, 225, 0.16)",
    overlapLine: "#cbd5e1",
    heat: "251, 146, 60",
    heats: [0.12, 0.24, 0.36],
    heatLine: "#fdba74",
    focus: "rgba(248, 113, 113, 0.20)",
    focusLine: "#fca5a5",
    unseen: "#a3adba",
    finding: "rgba(251, 191, 36, 0.16)",
    findingLine: "#fcd069",
  },
}

/** Whether a colour is dark, whatever way it is written. @param {string} colour @returns {boolean} */
function isDark(colour) {
  const canvas = document.createElement("canvas")
  canvas.width = canvas.height = 1
  const context = canvas.getContext("2d", { willReadFrequently: true })
  context.fillStyle = "#fff"
  context.fillStyle = colour.trim() || "#fff"
  context.fillRect(0, 0, 1, 1)
  const [red, green, blue] = context.getImageData(0, 0, 1, 1).data
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue < 128
}

/** Style of every layer, lowest first. @param {object} palette @returns {[string, string][]} */
function layerStyles(palette) {
  const filled = (alpha) => palette.hues.map((hue) => `background-color: rgba(${hue}, ${alpha});`)
  const underline = (style, colour) => `text-decoration: underline ${style} ${colour} 2px; text-underline-offset: 3px;`
  return [
    ...filled(palette.fill).map((style, hue) => [`chunk-${hue}`, style]),
    ...palette.heats.map((alpha, strength) => [`heat-${strength + 1}`, `background-color: rgba(${palette.heat}, ${alpha});`]),
    ["overlap", `background-color: ${palette.overlap}; ${underline("dotted", palette.overlapLine)}`],
    ...filled(palette.marked).map((style, hue) => [`marked-${hue}`, `${style} ${underline("solid", palette.lines[hue])}`]),
    ...filled(palette.selected).map((style, hue) => [`selected-${hue}`, style]),
    ["unseen", `color: ${palette.unseen}; text-decoration: line-through ${palette.unseen} 1.5px;`],
    ["focus", `background-color: ${palette.focus}; ${underline("wavy", palette.focusLine)}`],
    ["found", "background-color: #facc15; color: #1c1917;"],
  ]
}

/**
 * Rules for both ways of painting, and the colours the style sheet uses.
 * @param {object} palette @param {string} suffix keeps the highlights of two viewers apart @returns {string}
 */
function paletteRules(palette, suffix) {
  const layers = layerStyles(palette)
    .map(([name, style]) => `::highlight(${name}-${suffix}) { ${style} }\n.block .${name} { ${style} }`)
    .join("\n")
  const lines = palette.lines.map((colour, hue) => `--line-${hue}: ${colour};`).join(" ")
  const heats = palette.heats.map((alpha, strength) => `--heat-${strength + 1}: rgba(${palette.heat}, ${alpha});`).join(" ")
  return `${layers}\n.viewer { ${lines} ${heats} --heat-line: ${palette.heatLine}; --focus-line: ${palette.focusLine}; --finding: ${palette.finding}; --finding-line: ${palette.findingLine}; }`
}
