// What Material leaves undone for readers without a mouse.
addEventListener("load", () => {
  // Wide tables and formulas scroll sideways: the keyboard has to reach them.
  for (const box of document.querySelectorAll(".md-typeset__scrollwrap, .arithmatex")) {
    if (box.scrollWidth > box.clientWidth) box.tabIndex = 0
  }
  // The bar that holds a copy button is no landmark of the page.
  for (const bar of document.querySelectorAll(".md-code__nav")) bar.role = "presentation"

  // On a narrow screen, labels open the menu and the search: buttons with a name take their places.
  const names = {
    __drawer: document.querySelector(".md-nav--primary")?.ariaLabel,
    __search: document.querySelector(".md-search__input")?.placeholder,
  }
  for (const [id, name] of Object.entries(names)) {
    const label = document.querySelector(`.md-header__button[for=${id}]`)
    if (!label || !name) continue
    const button = document.createElement("button")
    Object.assign(button, { className: label.className, ariaLabel: name })
    button.setAttribute("for", id) // Material's style sheet looks for it
    button.append(...label.childNodes)
    button.addEventListener("click", () => document.getElementById(id).click())
    label.replaceWith(button)
  }
  const drawer = document.querySelector("#__drawer")
  addEventListener("keydown", (event) => {
    if (event.key === "Escape" && drawer?.checked) drawer.click()
  })
})
