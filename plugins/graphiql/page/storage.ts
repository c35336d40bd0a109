// The storage of GraphiQL. Its history keeps the headers of each request, with secrets and tokens, under any setting for
// headers. This storage leaves all headers out.

import type { GraphiQLProps } from 'graphiql'

const withoutHeaders = (text: string): string => {
  try {
    return JSON.stringify(JSON.parse(text, (key, value) => (key === 'headers' ? undefined : value)))
  } catch {
    return text
  }
}

/** The storage of the browser, for GraphiQL. */
export function createStorage(storage: Storage): NonNullable<GraphiQLProps['storage']> {
  return {
    get length() {
      return storage.length
    },
    getItem: (key) => storage.getItem(key),
    removeItem: (key) => storage.removeItem(key),
    clear: () => storage.clear(),
    setItem(key, value) {
      if (key !== 'graphiql:headers') storage.setItem(key, withoutHeaders(value))
    },
  }
}
