// Answers Material's search field with what Pagefind finds. Material starts this file as a worker. It sends
// {type: 0} at the start and {type: 2, data: query} for each query, and expects {type: 1} and {type: 3, data: {items}}.
const language = new URLSearchParams(location.search).get("language")
// Pagefind asks the page for its language, but a worker has no page.
self.document = { querySelector: () => ({ getAttribute: () => language }) }

const PAGES = 10
const SECTIONS = 3 // shown below each page; further ones unfold

// Long pages are not worse ones, and a word that a page repeats is not worth that much more.
const RANKING = { pageLength: 0.3, termFrequency: 0.5 }

let latest
self.onmessage = async ({ data: { type, data: query } }) => {
  if (type === 0) postMessage({ type: 1 })
  if (type !== 2) return
  latest = query
  const items = query.trim() ? await find(query) : []
  if (query === latest) postMessage({ type: 3, data: { items } })
}

async function find(query) {
  const pagefind = await import("../../pagefind/pagefind.js") // loaded with the first query, not with the page
  await pagefind.options({ ranking: RANKING })
  let pages = await pagesWith(query, pagefind)
  // Accents, umlauts and hamza may be missing from a query; only the French ligature has to be tried.
  const ligature = query.replace(/oe/gi, "œ")
  if (ligature !== query && !pages.some(page => marked(page).some(word => /oe/i.test(word)))) {
    pages = await pagesWith(ligature, pagefind)
  }
  return pages.map(page => {
    // What stands before the first section belongs to the page itself.
    const sections = page.sub_results.filter(section => section.anchor && section.anchor.element !== "h1")
    return [
      item(page.url, page.meta.title, page.excerpt, 1),
      ...sections.map((section, i) => item(section.url, section.title, section.excerpt, i < SECTIONS ? 1 : 0)),
    ]
  })
}

async function pagesWith(query, pagefind) {
  const { results } = await pagefind.search(query)
  const pages = await Promise.all(results.slice(0, PAGES).map(result => result.data()))
  // Where a word stands nowhere, Pagefind goes on with its first letters; one letter of seven is no result.
  return pages.filter(page => likeness(page, query) > 1 / 3)
}

// Returns how long the longest word found is, compared with the longest of the query.
function likeness(page, query) {
  const letters = word => word.replace(/[^\p{L}\p{N}]/gu, "").length
  return Math.max(0, ...marked(page).map(letters)) / Math.max(...query.split(/\s+/).map(letters))
}

function marked(page) {
  const excerpts = [page, ...page.sub_results].map(part => part.excerpt).join()
  return [...excerpts.matchAll(/<mark>(.*?)<\/mark>/g)].map(([, word]) => word)
}

// Material sets title and text as HTML; Pagefind's excerpts are that already.
function item(location, title, text, score) {
  return { location, title: title.replaceAll("&", "&amp;").replaceAll("<", "&lt;"), text, score, terms: {} }
}
