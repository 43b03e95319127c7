// What Material leaves undone for readers without a mouse.
addEventListener("load", () => {
  // Wide tables and formulas scroll sideways: the keyboard has to reach them.
  for (const box of document.querySelectorAll(".md-typeset__scrollwrap, .arithmatex")) {
    if (box.scrollWidth > box.clientWidth) box.tabIndex = 0
  }
  // The bar that holds a copy button is no landmark of the page.
  for (const bar of document.querySelectorAll(".md-code__nav")) bar.role = "presentation"
})
