import { useStore } from '../base/store.ts'
import { Dialog } from '../parts/dialog.tsx'
import { Checkbox } from '../parts/field.tsx'
import type { ConsolePage } from './contract.ts'
import css from './dialogs.module.css'
import { hasLetterKeys } from './keys.ts'
import { isHelpOpen } from './overlays.ts'

const common: readonly (readonly [string, string])[] = [
  ['Ctrl K', 'Palette'],
  ['Ctrl J', 'Requests'],
  ['/', 'Filter'],
  ['[ ]', 'Tab before, tab after'],
  ['Ctrl Enter', 'Run'],
  ['Ctrl S', 'Review and save'],
  ['?', 'This list'],
]

/** Keys of the grid of rows. */
const ofGrid: readonly (readonly [string, string])[] = [
  ['e', 'Edit the cell'],
  ['Space', 'Show the whole cell'],
  ['Shift Space', 'Select the row'],
  ['Alt →', 'Related rows, and along foreign keys'],
  ['Alt ←', 'Back to the row before'],
  ['Ctrl Z', 'Undo a staged edit'],
]

/** The list of keys. */
export function HelpDialog({ pages }: { readonly pages: readonly ConsolePage[] }) {
  const hasLetters = useStore(hasLetterKeys)
  const keys = [
    ...common,
    ...ofGrid,
    ...pages.flatMap(({ letter, title }) => (letter === '' ? [] : [[`g ${letter}`, title] as const])),
  ]
  return (
    <Dialog isOpen={useStore(isHelpOpen)} title="Keys" onClose={() => isHelpOpen.set(false)}>
      <dl className={css['keys']}>
        {keys.flatMap(([key, title]) => [
          <dt key={`${key} key`}>
            <kbd>{key}</kbd>
          </dt>,
          <dd key={key}>{title}</dd>,
        ])}
      </dl>
      <Checkbox
        label="Single letters act outside of fields"
        checked={hasLetters}
        onChange={(event) => hasLetterKeys.set(event.target.checked)}
      />
    </Dialog>
  )
}
