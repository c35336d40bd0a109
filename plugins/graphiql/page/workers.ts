// Where Monaco finds its workers: beside the script of the page.

/** Their files by the names that Monaco gives them: written in by the bundler. */
declare const workerFiles: { readonly editor: string; readonly [label: string]: string | undefined }

Object.assign(globalThis, {
  MonacoEnvironment: {
    getWorker: (_id: string, label: string) =>
      new Worker(new URL(workerFiles[label] ?? workerFiles.editor, import.meta.url)),
  },
})

export {}
