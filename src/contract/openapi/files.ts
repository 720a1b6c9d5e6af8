/** The description of every upload; `next` says what comes after it. */
export const uploading = (next: string): string =>
  [
    'Stores a PNG, JPEG, WebP, GIF, PDF or plain text of at most 10 MiB. The content decides about the type, never a name or a header. Metadata of pictures, such as the place where a photo was taken, is removed; the orientation stays. A picture may have at most 40 megapixels.',
    'The id makes a repetition harmless: the same file again gets 200, another file 409.',
    `${next} A file without a message is erased after an hour.`,
  ].join('\n\n')

export const deleting =
  'Deletes a file that its sender has uploaded and not sent. It no longer counts for the limits of the day. Not found if there is no such upload, and if a message has the file: then delete the message.'

export const downloading =
  'The response tells browsers to save the file, and to run nothing in it. Do not show it as a page of your site.'
