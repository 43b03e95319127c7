// Draws the figures of notebooks, each when it comes near the screen, in the colours of the page.
const near = new IntersectionObserver(
  entries => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue
      near.unobserve(target)
      draw(target)
    }
  },
  { rootMargin: "400px" },
)
for (const chart of document.querySelectorAll("[data-figure]")) near.observe(chart)

const drawn = []

async function draw(chart) {
  const [figure] = await Promise.all([
    fetch(chart.dataset.figure).then(response => response.json()),
    import("./plotly-basic.min.js"), // once, however many figures; it is a script that sets window.Plotly
  ])
  const { sliders, ...layout } = figure.layout
  const fixed = { dragmode: false, template: template() }
  await Plotly.newPlot(chart, figure.data, { ...layout, ...fixed }, { displayModeBar: false, responsive: true })
  drawn.push(chart)
  if (sliders) slide(chart, sliders[0])
}

// Plotly's own slider can't be reached by keyboard.
function slide(chart, { steps, currentvalue }) {
  const place = chart.closest("figure")
  const output = place.querySelector("output")
  const input = place.querySelector("input")
  input.addEventListener("input", () => {
    const { label, args } = steps[input.value]
    output.value = currentvalue.prefix + label
    input.setAttribute("aria-valuetext", label)
    Plotly.restyle(chart, ...args)
  })
  input.disabled = false
}

// The colours are variables in the stylesheets; an element tells what they are in the current scheme.
function template() {
  const probe = document.body.appendChild(document.createElement("span"))
  const color = name => {
    probe.style.color = `var(--gv-${name})`
    return getComputedStyle(probe).color
  }
  const axis = { gridcolor: color("line"), linecolor: color("line"), zerolinecolor: color("line"), automargin: true }
  const layout = {
    font: { color: color("ink"), family: getComputedStyle(probe).fontFamily, size: 13 },
    colorway: [1, 2, 3, 4].map(number => color(`series-${number}`)),
    paper_bgcolor: "transparent",
    plot_bgcolor: "transparent",
    hoverlabel: { bgcolor: color("surface"), bordercolor: color("line"), font: { color: color("ink") } },
    xaxis: { ...axis, fixedrange: true },
    yaxis: { ...axis, fixedrange: true },
  }
  probe.remove()
  return { layout }
}

// Material writes the chosen scheme into an attribute of the body.
new MutationObserver(() => {
  for (const chart of drawn) Plotly.relayout(chart, { template: template() })
}).observe(document.body, { attributeFilter: ["data-md-color-scheme"] })
