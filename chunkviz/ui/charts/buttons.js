/** Below a chart: saves what Plotly has drawn beside it, as it looks. */
export default function mountButtons({ data, parentElement }) {
  const host = parentElement.host ?? parentElement
  const chart = () => {
    for (let place = host.parentElement; place; place = place.parentElement) {
      const found = place.querySelector(".js-plotly-plot")
      if (found) return found
    }
    return null
  }
  const draw = () => {
    const plot = chart()
    const paper = getComputedStyle(host).getPropertyValue("--st-background-color").trim() || "#fff"
    return svgOfDrawings(plot.querySelectorAll(".main-svg"), plot.getBoundingClientRect(), paper)
  }
  const buttons = figureButtons(draw, () => data.file, data.figure)
  parentElement.replaceChildren(...parentElement.querySelectorAll("style"), buttons)
}
