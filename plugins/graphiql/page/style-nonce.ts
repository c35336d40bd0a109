// Monaco and React's libraries make style elements as they go. The page's policy admits those that carry its nonce.

/** Has all style elements that scripts make carry the nonce of the page. */
export function styleWithNonce(page: Document): void {
  const nonce = page.querySelector<HTMLLinkElement>('link[nonce]')?.nonce ?? ''
  const create = page.createElement.bind(page)
  page.createElement = (name: string, options?: ElementCreationOptions) => {
    const element = create(name, options)
    if (element instanceof HTMLStyleElement) element.nonce = nonce
    return element
  }
}
