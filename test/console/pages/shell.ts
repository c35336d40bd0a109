import assert from 'node:assert/strict'
import { hasText, type State, secret } from '../support.ts'

const refused = /status of 401/

export const shell: readonly State[] = [
  {
    title: 'signing in keeps the page, and the secret stays out of storage, addresses and the drawer',
    path: 'data?filter=alb',
    isSignedOut: true,
    shows: hasText('Keep for this tab'),
    complains: refused,
    async act(page) {
      await page.type('input[type=password]', 'wrong')
      await page.press('Enter')
      await page.until(`document.querySelector('[aria-invalid=true]') !== null`)
      await page.type('input[type=password]', secret)
      await page.press('Enter')
      await page.until(`document.querySelectorAll('[role=row]').length === 2`)
      assert.match(await page.evaluate('location.href'), /\?filter=alb$/)
      await page.press('j', ['ctrl'])
      await page.until(hasText('Copy as curl'))
      const kept = await page.evaluate<string>(
        'JSON.stringify([localStorage, sessionStorage, location.href, document.body.innerText])',
      )
      assert.equal(kept.includes(secret), false)
    },
  },
  {
    title: 'the palette finds pages and commands by the keyboard alone',
    path: 'data',
    shows: hasText('15 tables'),
    async act(page, { check }) {
      await page.press('k', ['ctrl'])
      await page.until(`document.activeElement?.getAttribute('role') === 'combobox'`)
      await check(page)
      await page.type('input[role=combobox]', '>requests')
      await page.until(`document.querySelectorAll('[role=option]').length >= 1`)
      await page.press('Enter')
      await page.until(`document.querySelector('aside[aria-label=Requests]') !== null`)
    },
  },
  {
    title: 'an address that does not exist says so',
    path: 'nothing/here',
    shows: hasText('There is nothing at this address'),
  },
  {
    title: 'read-only mode refuses edits in the page itself',
    path: 'data',
    theme: 'dark',
    shows: hasText('15 tables'),
    async act(page) {
      await page.click('button[title="Refuse all edits of this page"]')
      await page.until(
        `![...document.querySelectorAll('button')].some((button) => /rack \\d/.test(button.textContent))`,
      )
    },
  },
]
