import type { EmailTexts } from '../emailTexts.ts'
import type { BotTexts } from '../english.ts'

export const texts: BotTexts = {
  greeting: 'שלום!\nאיך אפשר לעזור?',
  hello: 'שלום {name}!',
  help: 'איך אפשר לעזור?',
  welcome: 'בשמחה!',
  unknown: 'מצטערים, אין לי תשובה על כך.',
  topics: 'אפשר לשאול אותי על אחד מהנושאים האלה:',
  files: 'תודה. אין לי אפשרות לפתוח קבצים.',
  person: 'שיחה עם נציג אנושי',
  apology: 'מצטערים, לא הצלחתי לענות כרגע. ההודעה שלך שמורה: אפשר לנסות שוב.',
  retry: 'ניסיון נוסף',
  cutOff: '(התשובה נקטעה לפני סופה.)',
  tooMany: 'זה יותר ממה שאפשר לענות עליו בבת אחת. אפשר לנסות שוב בעוד דקה.',
  noMoreToday: 'לא אוכל לענות היום על שאלות נוספות. אפשר לנסות שוב מחר.',
}

export const emails: EmailTexts = {
  unread: 'הודעה חדשה מאת {name}',
  openChat: 'פתיחת הצ׳אט',
  moreInChat: 'יש הודעות נוספות בצ׳אט.',
  unreadReason: 'הודעת המייל הזו נשלחה כי יש לך הודעות שלא נקראו בצ׳אט באתר {site}.',
  unsubscribe: 'הפסקת המיילים האלה',
  askUnsubscribe: 'להפסיק לשלוח מיילים על הודעות שלא נקראו בצ׳אט?',
  unsubscribed: 'לא יישלחו עוד מיילים על הודעות שלא נקראו.',
  resubscribe: 'חידוש המיילים האלה',
  resubscribed: 'מיילים על הודעות שלא נקראו יישלחו שוב.',
  linkEnded: 'הקישור הזה כבר לא פעיל.',
}
