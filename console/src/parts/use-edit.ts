// Saving an edit of the metadata from a form: its state, its error, and the way back.

import { type Edit, edit, undo } from '../server/edits.ts'
import { seenMetadata } from '../server/queries.ts'
import { toast } from './toast.tsx'
import { useAttempt } from './use-attempt.ts'

interface EditWithWords extends Edit {
  /** Confirms the edit, as `Added 3 relationships`. */
  readonly done: string
}

interface Saving {
  readonly isBusy: boolean
  /** Null: nothing failed. */
  readonly error: unknown
  setError(error: unknown): void
  /** Sends the edit; answers whether it was made. */
  save(given: EditWithWords): Promise<boolean>
}

/** Saves edits one at a time. Each can be undone while its confirmation is shown. */
export function useEdit(): Saving {
  const { isBusy, error, setError, attempt } = useAttempt()
  const save = async ({ done, ...given }: EditWithWords) => {
    const isMade = await attempt(async () => {
      const base = given.base ?? (await seenMetadata())
      if ((await edit({ ...given, base })) === null) return false
      toast(done, { undo: () => void undo(base).catch(setError) })
      return true
    })
    return isMade ?? false
  }
  return { isBusy, error, setError, save }
}
