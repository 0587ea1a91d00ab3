import type { ButtonHTMLAttributes, JSX } from 'preact';
import { useRef } from 'preact/hooks';
import { parseDate } from '../../model/calendar-date.ts';

/** Says that something is being fetched, where its content will be. */
export function Waiting({ what }: { readonly what: string }): JSX.Element {
  return (
    <p class="hint waiting" role="status">
      Loading {what} …
    </p>
  );
}

export function Failed({ sentence }: { readonly sentence: string }): JSX.Element {
  return (
    <p class="failed" role="alert">
      {sentence}
    </p>
  );
}

interface IconButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly sign: string;
  readonly label: string;
  readonly class?: string;
}

/** A button of one sign, with its name for those who do not see it, or do not know it. */
export function IconButton({ sign, label, class: kind = '', ...rest }: IconButtonProps) {
  return (
    <button type="button" class={`icon ${kind}`} aria-label={label} title={label} {...rest}>
      {sign}
    </button>
  );
}

interface DateFieldProps {
  readonly label: string;
  readonly isLabelSeen?: boolean;
  /** `YYYY-MM-DD` */
  readonly value: string | undefined;
  readonly onPick: (date: string) => void;
}

/** A day in ISO's form, whatever the browser's language is: typed, or chosen in the browser's calendar. */
export function DateField({ label, isLabelSeen = false, value = '', onPick }: DateFieldProps) {
  const picker = useRef<HTMLInputElement>(null);
  const pick = (text: string): void => {
    if (parseDate(text) !== undefined) onPick(text);
  };
  return (
    <span class="date">
      <label>
        <span class={isLabelSeen ? '' : 'unseen'}>{label}</span>
        <input
          type="text"
          inputMode="numeric"
          placeholder="YYYY-MM-DD"
          maxLength={10}
          autocomplete="off"
          value={value}
          onInput={({ currentTarget }) => pick(currentTarget.value.trim())}
          // What is no date gives way to the one before.
          onBlur={({ currentTarget }) => (currentTarget.value = value)}
        />
      </label>
      <IconButton
        sign="▾"
        label={`Calendar: ${label}`}
        onClick={() => picker.current?.showPicker()}
      />
      <input
        ref={picker}
        type="date"
        class="picker"
        tabIndex={-1}
        aria-hidden="true"
        value={value}
        onChange={({ currentTarget }) => pick(currentTarget.value)}
      />
    </span>
  );
}

/** What a field of a form holds. */
export function textOf(form: FormData, name: string): string {
  const value = form.get(name);
  return typeof value === 'string' ? value : '';
}
