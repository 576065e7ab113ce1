/** The word for a rating. */

import { t } from "$lib/i18n";

export function sayRating(rating: number): string {
  return t.review.rating[rating - 1] ?? t.review.unknownRating(rating);
}
