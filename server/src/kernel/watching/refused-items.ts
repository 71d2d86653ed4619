import type { Refusal } from '../errors.js'
import { noteRefusal } from './current-request.js'

/** Notes the items of a batch that were rejected, and the scores that came with them: the answer has the status 200. */
export const noteRefusedItems = (
  outcomes: readonly { refusal: Refusal | null; refusedScores: readonly Refusal[] }[],
): void => {
  for (const { refusal, refusedScores } of outcomes) {
    if (refusal !== null) noteRefusal('item', refusal.code)
    for (const { code } of refusedScores) noteRefusal('item', code)
  }
}
