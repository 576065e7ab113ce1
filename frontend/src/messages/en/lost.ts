/** The words of the page for an unknown address. */

export const lost = {
  title: "Page not found",
  lead: "The address may be misspelt, or its part may not exist yet.",
};
