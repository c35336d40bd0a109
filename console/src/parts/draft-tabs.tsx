import { Plus, X } from 'lucide-react'
import { type ReactNode, useEffect } from 'react'
import type { Draft, Drafts } from '../base/drafts.ts'
import { useStore } from '../base/store.ts'
import { IconButton } from './button.tsx'
import { Tabs } from './tabs.tsx'
import { toast } from './toast.tsx'

interface DraftTabsProps {
  readonly drafts: Drafts
  /** The id of a draft; another text: the newest one is shown. */
  readonly chosen: string
  titleOf(text: string): string
  onChoose(id: string): void
  children(draft: Draft): ReactNode
}

/** Drafts as tabs, of which there is always one. A closed one can be opened again. */
export function DraftTabs({ drafts, chosen, titleOf, onChoose, children }: DraftTabsProps) {
  const all = useStore(drafts.all)
  const draft = all.find(({ id }) => id === chosen) ?? all.at(-1)
  useEffect(() => {
    if (drafts.all.get().length === 0) drafts.add('')
  }, [drafts])
  if (!draft) return null
  const close = () => {
    drafts.remove(draft.id)
    onChoose('')
    const reopen = () => void drafts.add(draft.text, draft.more)
    if (draft.text.trim() !== '') toast('Closed the draft', { undo: reopen })
    if (drafts.all.get().length === 0) drafts.add('')
  }
  return (
    <Tabs
      label="Drafts"
      value={draft.id}
      tabs={all.map(({ id, text }) => ({ value: id, label: titleOf(text) }))}
      onChange={onChoose}
      actions={
        <>
          <IconButton label="New draft" icon={<Plus aria-hidden />} onClick={() => onChoose(drafts.add(''))} />
          <IconButton label={`Close ${titleOf(draft.text)}`} icon={<X aria-hidden />} onClick={close} />
        </>
      }
    >
      {children(draft)}
    </Tabs>
  )
}
