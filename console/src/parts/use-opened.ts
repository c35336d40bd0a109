import { useState } from 'react'

/**
 * The value at the time when a form was opened. Its edit is based on the metadata of that time: those of the page change
 * with each edit of somebody else, whose conflict would go unseen.
 */
export function useOpened<T>(value: T): T {
  return useState(() => value)[0]
}
