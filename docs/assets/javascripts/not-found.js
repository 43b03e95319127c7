// Hosts answer every address that doesn't exist with the 404.html at the root of the site.
// If the address belongs to another language, its own 404 page takes over, under the address that the reader sees.
const root = new URL("../..", document.currentScript.src).pathname
const language = location.pathname.slice(root.length).split("/")[0]
if (["de", "fr", "ar"].includes(language)) {
  fetch(`${root}${language}/404.html`)
    .then(response => response.text())
    .then(page => {
      document.open()
      document.write(page)
      document.close()
    })
}
