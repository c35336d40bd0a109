import { useState } from 'react'
import { formatClock, plural } from '../../base/format.ts'
import { differencesOf } from '../../base/json-diff.ts'
import { Button } from '../../parts/button.tsx'
import { JsonTree } from '../../parts/json-tree.tsx'
import { Mark } from '../../parts/mark.tsx'
import css from './api.module.css'
import type { Outcome } from './running.ts'

/** Differences of a message that are shown. */
const shownDifferences = 50

/** The messages of a subscription, the last one first, each with its differences to the one before. */
export function Messages({ outcome }: { readonly outcome: Outcome & { state: 'following' } }) {
  const { messages, isOpen, stop, as } = outcome
  const [opened, setOpened] = useState<number | null>(null)
  const newest = messages.at(-1)
  return (
    <>
      <div className={css['bar']} role="status">
        <Mark state={isOpen ? 'waiting' : 'good'}>{isOpen ? 'following' : 'ended'}</Mark>
        <span className={css['note']}>
          {plural(messages.length, 'message')}, as {as.role ?? 'admin'}
        </span>
        <span className={css['space']} />
        {isOpen && <Button onClick={stop}>Stop</Button>}
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll area is reached by the keyboard. */}
      <section className={css['scroll']} aria-label="Messages, scrolls" tabIndex={0}>
        <ol className={css['messages']}>
          {messages.toReversed().map((message) => {
            const before = messages[messages.indexOf(message) - 1]
            const isShown = opened === message.id || (opened === null && message === newest)
            return (
              <li key={message.id} className={css['message']}>
                <div className={css['line']}>
                  <h3 className={css['label']}>
                    Message {message.id} at {formatClock(message.at)}
                  </h3>
                  <Button look="quiet" aria-expanded={isShown} onClick={() => setOpened(isShown ? 0 : message.id)}>
                    {isShown ? 'Hide' : 'Show'} message {message.id}
                  </Button>
                </div>
                {before && <Changes before={before.body} after={message.body} />}
                {isShown && <JsonTree label={`Message ${message.id}`} value={message.body} />}
              </li>
            )
          })}
        </ol>
      </section>
    </>
  )
}

const shown = (value: unknown): string => {
  const text = JSON.stringify(value)
  return text.length > 80 ? `${text.slice(0, 80)}…` : text
}

function Changes({ before, after }: { readonly before: unknown; readonly after: unknown }) {
  const all = differencesOf(before, after, shownDifferences + 1)
  return (
    <ul className={css['changes']} aria-label="Changes since the message before">
      {all.slice(0, shownDifferences).map(({ path, before: old, after: now }) => (
        <li key={path}>
          <code>{path}</code> {old !== undefined && <del>{shown(old)}</del>}{' '}
          {now !== undefined && <ins>{shown(now)}</ins>}
        </li>
      ))}
      {all.length > shownDifferences && <li>and more</li>}
    </ul>
  )
}
