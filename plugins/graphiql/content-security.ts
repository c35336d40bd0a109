// The rights of the page: it may run its own scripts and ask its own server, and nothing else.

/**
 * The value of the header `content-security-policy`. Monaco writes lines of text as markup with style attributes, and it
 * and React's libraries make style elements as they go: the former have to be allowed, the latter carry a nonce. Fonts
 * and small pictures stand in the style sheet.
 */
export const contentSecurityPolicy = (nonce: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "worker-src 'self'",
    "connect-src 'self'",
    `style-src-elem 'self' 'nonce-${nonce}'`,
    "style-src-attr 'unsafe-inline'",
    'font-src data:',
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
