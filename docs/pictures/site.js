/* The theme names neither its search dialog nor sections with a page of their own; keys do not reach wide contents. */
document.querySelector(".md-search").ariaLabel = "Search";
for (const section of document.querySelectorAll(".md-nav[aria-labelledby]")) {
  const label = document.getElementById(section.getAttribute("aria-labelledby"));
  if (!label.innerText.trim()) label.ariaLabel = section.firstElementChild.innerText.trim();
}
addEventListener("load", () => {
  for (const buttons of document.querySelectorAll(".md-code__nav")) buttons.role = "none";
  const boxes = new ResizeObserver((changed) => {
    for (const { target } of changed) if (target.scrollWidth > target.clientWidth) target.tabIndex = 0;
  });
  const wide = ".md-typeset :is(pre > code, p:has(> img), .output, .md-typeset__scrollwrap)";
  for (const box of document.querySelectorAll(wide)) boxes.observe(box);
});
