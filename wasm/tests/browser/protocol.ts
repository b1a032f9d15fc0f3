/** How the test program, a page and its workers talk. */

/** What to do: a task by its name, what it takes, and the files that were picked in the page. */
export interface Order {
  readonly task: string
  readonly argument: unknown
  readonly files: readonly File[]
}

/** What it came to. Errors travel as text, with their stacks. */
export type Answer = { readonly value: unknown } | { readonly error: string }
