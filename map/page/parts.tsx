import type { ButtonHTMLAttributes, ComponentChildren, JSX } from 'preact';
import { useRef } from 'preact/hooks';
import { parseDate } from '../../model/calendar-date.ts';
import type { Loaded } from './loaded.ts';

interface ShownProps<T> {
  readonly of: Loaded<T>;
  /** Name of what is being fetched, for the sentence. */
  readonly what: string;
  readonly children: (value: T) => ComponentChildren;
}

/** Shows fetched content; until it arrives, or when it cannot be had, a sentence in its place. */
export function Shown<T>({ of, what, children }: ShownProps<T>): JSX.Element | null {
  if (of.state === 'none') return null;
  if (of.state === 'ready') return <>{children(of.value)}</>;
  if (of.state === 'failed') {
    return (
      <div class="failed" role="alert">
        {of.sentence}{' '}
        <button class="small" onClick={of.again}>
          Try again
        </button>
      </div>
    );
  }
  return (
    <div class="hint waiting" role="status">
      Loading {what} …
      {of.share !== undefined && (
        <>
          <progress aria-label={`Progress of ${what}`} value={of.share} />
          <button onClick={of.cancel}>Cancel</button>
        </>
      )}
    </div>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly name: string;
  readonly value?: string;
  /** Each with its value and, where that is another, its text. */
  readonly options: readonly (readonly [value: string, text?: string])[];
}

/** A list of which one is chosen, with its name for those who do not see it. */
export function Choice({ label, name, value, options }: ChoiceProps): JSX.Element {
  return (
    <label class="grow">
      <span class="unseen">{label}</span>
      <select name={name} value={value}>
        {options.map(([one, text = one]) => (
          <option key={one} value={one}>
            {text}
          </option>
        ))}
      </select>
    </label>
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

interface StepperProps {
  /** Names of the buttons. */
  readonly back: string;
  readonly forth: string;
  /** Go back or forth; undefined at the end. */
  readonly onBack: (() => void) | undefined;
  readonly onForth: (() => void) | undefined;
  readonly children: JSX.Element;
}

/** Something between two buttons that lead to the one before and the next. */
export function Stepper({ back, forth, onBack, onForth, children }: StepperProps): JSX.Element {
  return (
    <div class="row stepper">
      <IconButton sign="‹" label={back} disabled={!onBack} onClick={onBack} />
      {children}
      <IconButton sign="›" label={forth} disabled={!onForth} onClick={onForth} />
    </div>
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
