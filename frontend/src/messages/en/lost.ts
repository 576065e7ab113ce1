/** The words of the page that is shown where there is none. */

export const lost = {
  title: "There is no such page",
  lead: "The address may be misspelt, or belong to a part that does not exist yet.",
};
