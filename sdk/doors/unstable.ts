// Every name that built-in plugins use. None of them is promised: they may change in any release. Import the promised names
// from `trellis` instead, and ask for those that you miss.

export * from '../index.ts'
