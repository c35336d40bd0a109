// Questions before something that cannot be undone.

import { createStore } from '../base/store.ts'

/** A question. */
export interface Question {
  readonly title: string
  readonly text?: string
  /** The name of the thing that goes, which is typed first in production; absent: nothing is typed. */
  readonly name?: string
  /** The button: a verb with its object. */
  readonly action: string
  answer(agreed: boolean): void
}

/** The question that the shell shows; null: nothing is asked. */
export const question = createStore<Question | null>(null)

/** Asks the person. A question that is asked meanwhile declines the one before. */
export function confirm(asked: Omit<Question, 'answer'>): Promise<boolean> {
  question.get()?.answer(false)
  return new Promise((done) => {
    const answer = (agreed: boolean) => {
      question.set(null)
      done(agreed)
    }
    question.set({ ...asked, answer })
  })
}
