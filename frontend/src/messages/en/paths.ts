/** The words of the paths on the home page. */

export const paths = {
  heading: "Paths",
  progress: (proven: number, all: number) => `${proven} of ${all} proven`,
  followed: ", followed",
  next: (number: string, title: string) => `Next: ${number} ${title}`,
};
