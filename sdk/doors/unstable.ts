// All names that built-in plugins use. They are not promised and may change in any release. Import the promised names
// from `trellis`, and ask for those that are missing there.

export * from '../index.ts'
