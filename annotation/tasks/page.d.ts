/**
 * The contract between the page of an item (static/assess/main.js) and the script of a task kind.
 *
 * A kind's script exports `mount`, a {@link Mount}. Everything around it is the page's: progress, drafts, timing, submit,
 * retry, flags, the dialog of keys.
 */

/** What is missing in an answer: the field, as the kind's `missing()` names it, and one sentence for the assessor. */
export interface Missing {
  field: string;
  message: string;
}

/** A line of the list of keys: their names with spaces between them ("← →"), and what they do. */
export type KeyLine = [keys: string, meaning: string];

/** What the page does for a kind. */
export interface Page {
  /** The answer has changed: a draft is saved a moment later. */
  changed(): void;
  /** The assessor is done. The server says what is missing, if something is. */
  submit(): void;
  /** Fix the answers so far and bring what they hid: the next stage, mounted in the place of this one. */
  confirm(): void;
  /** What the button says that submits: an earlier answer is changed, not given. */
  submitWord: string;
  /** Say it to a screen reader. */
  announce(text: string): void;
}

/** What a kind's `content()` gave, and the answer so far: of a draft, of an earlier revision, or empty. */
export interface Data<Content, Answer> {
  content: Content;
  answer: Partial<Answer>;
}

/** What the page needs of a kind. */
export interface Task<Answer> {
  /** The answer as it stands, complete or not, in the shape of the kind's `Answer`. */
  answer(): Answer;
  /** A key was pressed and nobody was typing; whether it was used. */
  key(name: string, event: KeyboardEvent): boolean;
  /** The lines of this kind in the list of keys. */
  keys: KeyLine[];
  /** Go to the first of what is missing, and say it there. */
  show(missing: Missing[]): void;
  /** A stage has been confirmed, and this is the page of the next one. */
  confirmed?(): void;
  /** What the break dialog says if this kind's time runs on during a break. */
  onBreak?: string;
  /** What a stage has shown must not be seen again: the assessor's other tabs leave the item too. */
  closes?: boolean;
}

export type Mount<Content, Answer> = (root: HTMLElement, data: Data<Content, Answer>, page: Page) => Task<Answer>;
