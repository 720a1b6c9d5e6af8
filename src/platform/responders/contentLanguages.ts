import { stemmer as arabic } from '@orama/stemmers/arabic'
import { stemmer as dutch } from '@orama/stemmers/dutch'
import { stemmer as english } from '@orama/stemmers/english'
import { stemmer as french } from '@orama/stemmers/french'
import { stemmer as german } from '@orama/stemmers/german'
import { stemmer as indonesian } from '@orama/stemmers/indonesian'
import { stemmer as italian } from '@orama/stemmers/italian'
import { stemmer as norwegian } from '@orama/stemmers/norwegian'
import { stemmer as portuguese } from '@orama/stemmers/portuguese'
import { stemmer as russian } from '@orama/stemmers/russian'
import { stemmer as spanish } from '@orama/stemmers/spanish'
import { stemmer as turkish } from '@orama/stemmers/turkish'
import { stemmer as ukrainian } from '@orama/stemmers/ukrainian'

/** What the search knows of a language. */
export interface ContentLanguage {
  /** Returns what the forms of a word have in common: `order` for `ordering`. */
  stem?: (word: string) => string
  /** Words that say nothing of what is asked for. They also tell the language of a text. */
  stopWords: string
  /**
   * Lines of words that mean the same. `!`: a section without any of them is no answer to a question with one: "Where is my
   * order?" is not answered by how to order. `?`: words for a property, such as a price: a section that shares only these with
   * a question is no answer, so "What does parking cost?" does not answer "How much is a bicycle?".
   */
  synonyms?: string
}

const englishSynonyms = `
! track, where is my, where are my
order, purchase, buy
parcel, package, shipment
deliver, delivery, ship, send
return, send back, bring back
refund, money back
? cost, price, fee, free, how much
open, close, opening hours, what time
? time, when, how long
address, location, where are you
change, edit, update
shop, store
broken, break, faulty, damaged, warranty, guarantee
phone, telephone, call
email, e mail, mail
exchange, swap, replace
voucher, coupon
gift, present
invoice, bill, receipt
clean, wash
decline, refuse, reject, fail
account, profile, register
login, log in, sign in, password
pay, payment, money
card, credit card, debit card
accept, take
job, vacancy, hire
book, reserve, reservation
collect, pick up
required, mandatory, must
several, multiple, many
display, show, print, output
install, setup, set up
remove, delete
error, fail`

const germanSynonyms = `
! verfolgen, wo ist mein, wo ist meine, wo bleibt mein, wo bleibt meine
bestellen, bestellung, kaufen
paket, sendung, lieferung, liefern, lieferzeit, versand, versenden, versandkosten, verschicken
retoure, rückgabe, zurückgeben, zurückschicken, zurücksenden, umtausch, umtauschen
erstattung, erstatten, geld zurück
? kosten, preis, gebühr, kostenlos, wie viel, wieviel
öffnungszeiten, geöffnet, offen, geschlossen, öffnen, schließen
? dauer, dauern, wie lange, wann
adresse, anschrift, standort
kündigen, stornieren, storno
kaputt, defekt, beschädigt, garantie, gewährleistung
telefon, anrufen
gutschein, rabattcode
bezahlen, zahlen, zahlung, zahlungsart
reservieren, reservierung, buchen, buchung`

const frenchSynonyms = `
! suivre, suivi, où est ma, où est mon, où sont mes
commande, commander, achat, acheter
colis, livraison, livrer, expédition, expédier, envoyer
retour, retourner, renvoyer
remboursement, rembourser
? prix, coûter, frais, tarif, gratuit, combien
ouvert, ouverture, horaires, fermé, heures
? délai, quand, combien de temps
annuler, annulation
cassé, abîmé, défectueux, garantie
payer, paiement
réserver, réservation`

const spanishSynonyms = `
! seguimiento, rastrear, dónde está mi, dónde están mis
pedido, pedir, comprar, compra
paquete, envío, enviar, entrega, entregar
devolución, devolver
reembolso, reembolsar
? precio, costar, cuesta, coste, gastos, gratis, cuánto
abierto, abrir, abren, cerrado, cerrar, horario, hora
? plazo, cuándo, cuánto tiempo, tarda
cancelar, cancelación, anular
roto, dañado, defectuoso, garantía
pagar, pago
reservar, reserva`

const englishStopWords =
  'a about again all already also am an and another any anyone anything are as at be been being between both but by can cannot ' +
  'could d did do does doesn doing don done during each else ever every for from get gets getting got had has have having he ' +
  'her here him his how i if in into is it its itself just let lets like ll m may me might mine more most much my myself need ' +
  'needs no not now of on one only or other our ours own please re s same shall she should so some somebody someone something ' +
  'somewhere still such t tell than that the their them then there these they this those to too up us use used using ve very ' +
  'want wants was we were what where which while who whom whose why will with would yes you your yours yourself'

/** The languages of Natter that have spaces between words. A word's marks do not count in `stopWords`. */
export const contentLanguages: ContentLanguage[] = [
  { stem: english, stopWords: englishStopWords, synonyms: englishSynonyms },
  {
    stem: german,
    stopWords:
      'aber als am an auch auf aus bei bin bis bitte da das dass dein dem den der des die dies diese dieser du durch ein eine ' +
      'einem einen einer es etwas euch euer eure für gibt habe haben hat ich ihr ihre ihren im in ist ja kann kannst können ' +
      'könnt man mein meine meinem meinen meiner mich mir mit möchte muss nach nicht noch nur ob oder sich sie sind so um und ' +
      'uns unser unsere von vom vor warum was welche welchen welcher welches wenn werden wie wir wird wo wohin zu zum zur über',
    synonyms: germanSynonyms,
  },
  {
    stem: french,
    stopWords:
      'a ai au aux avec avez avons bien ce ces cette c d dans de des du elle en est et être faire faut fait il ils j je l la ' +
      'le les leur lui m ma mais me mes mon n ne nos notre nous on ou où par pas peut peux plus pour pouvez pourquoi puis qu que ' +
      'quel quelle quelles quels qui quoi s sa se si son sont sur t te tu un une vos votre vous y est-ce comment',
    synonyms: frenchSynonyms,
  },
  {
    stem: spanish,
    stopWords:
      'a al como con cual cuales de del desde donde el ella en es esta este esto hay hacer la las le lo los me mi mis más muy no ' +
      'nos nuestra nuestro o para pero por porque puede puedo que qué quién quiero se si sin sobre son su sus también te tiene ' +
      'tienen tengo tu un una usted ustedes y ya yo',
    synonyms: spanishSynonyms,
  },
  {
    stem: italian,
    stopWords:
      'a ai al alla anche avete che chi ci come con cosa da dal dei del della delle di dove e è gli ha ho i il in io la le lo ma ' +
      'mi mia mio nel nella no noi non o per perché più posso può quale quali quando questo se si sono su sua suo ti tra un una ' +
      'vi voi vostra vostro',
    synonyms: `
! tracciare, dov è il mio, dove è il mio
ordine, ordinare, acquistare, comprare
pacco, spedizione, spedire, consegna, consegnare
reso, restituire, restituzione
rimborso, rimborsare
? prezzo, costo, costare, costa, gratis, gratuito, quanto
aperto, apertura, orario, orari, chiuso
annullare, annullamento, disdire
pagare, pagamento
prenotare, prenotazione`,
  },
  {
    stem: portuguese,
    stopWords:
      'a ao as à às com como da das de dele do dos e ela ele em essa esse esta este eu é foi há isso já lhe mais mas me meu ' +
      'minha muito na não nas no nos nossa nosso o onde os ou para pela pelo pode podem posso por porque qual quais que quem ' +
      'quero se sem ser seu são sua tem tenho têm um uma vocês você',
    synonyms: `
! rastrear, rastreio, onde está meu, onde está o meu, cadê meu
pedido, encomenda, comprar, compra, pedir
pacote, entrega, entregar, envio, enviar, frete
devolução, devolver, troca, trocar
reembolso, reembolsar, estorno
? preço, custo, custa, grátis, gratuito, quanto
aberto, abre, horário, fechado, fecha
cancelar, cancelamento
pagar, pagamento
reservar, reserva`,
  },
  {
    stem: dutch,
    stopWords:
      'aan als bij ben de die dat deze dit door een en er graag heb hebben heeft het hij hoe ik in is je jij jouw jullie kan kun ' +
      'kunnen maar me met mij mijn moet naar niet nog of om ons onze ook op over te tot u uit uw van voor waar waarom wat we ' +
      'welke wie wij wil worden wordt zich zijn zo',
    synonyms: `
! volgen, waar is mijn, waar blijft mijn
bestellen, bestelling, kopen
pakket, bezorgen, bezorging, bezorgkosten, verzendkosten, leveren, levering, verzenden, verzending
retour, retourneren, terugsturen, ruilen
terugbetaling, geld terug
? prijs, kosten, kost, gratis, hoeveel
open, openingstijden, gesloten, geopend
annuleren, annulering
betalen, betaling
reserveren, reservering`,
  },
  {
    stem: norwegian,
    stopWords:
      'at av da de deg dem den denne dere deres det dette du eller en er et for fra får før ha har hva hvilke hvilken hvor hvordan ' +
      'hvorfor i ikke jeg kan man med meg men min mitt må når noe nå og om oss på skal som så til ut var vi vil vår være',
  },
  {
    stem: russian,
    stopWords:
      'а без бы в вам вас ваш ваша ваши во вот вы где да для до его ее если есть еще же за и из или им их к как какая какие какой ' +
      'ко кто ли меня мне можно мой моя мы на не нет но о об он она они от по почему при с со так там то у уже что чтобы это я',
  },
  {
    stem: ukrainian,
    stopWords:
      'а або без би бути в вам вас ваш ваша ваші ви від він вона вони де для до є з за і із його її їх й коли мене мені ми мій ' +
      'можна моя на наш не ні о по при про та так таке то у хто це чи чому що щоб я як яка який які якщо',
  },
  {
    stem: turkish,
    stopWords:
      'acaba ama ben bir biz bu da daha de değil en gibi hangi her için ile istiyorum kadar ki kim mi mı mu mü musunuz misiniz ' +
      'mıyım nasıl ne neden nerede o olarak olan sen siz şu ve veya var yok ya',
  },
  {
    stem: arabic,
    stopWords:
      'أن أنا أنت إلى التي الذي أو أي أين إذا بعد ذلك عن على عند في قبل كان كل كيف لا لم لن له ما ماذا متى مع من نحن هذا هذه هل ' +
      'هو هي و يا يمكن يمكنني',
  },
  {
    stem: indonesian,
    stopWords:
      'ada adalah agar akan anda apa apakah atau bagaimana bagi bahwa bisa dalam dan dapat dari dengan di dia ini itu jika juga ' +
      'kami kapan karena ke kita mana mengapa oleh pada saya sebagai siapa sudah telah tidak untuk yang',
  },
  {
    stopWords:
      'a aby ale ani asi bez by být co či do i ja já jak jako jaká jaké jaký je jsem jsme jsou k kde kdo když která které který mám ' +
      'máte mi mně může můžu mohu můj na nám nás ne nebo není o od po pro proč s se si tak ten to u v vám vás ve však vy z za že',
  },
  {
    stopWords:
      'a aby ale bez być chcę ci co czy dla do gdzie i ich ja jak jaka jaki jakie jako jest jeśli już kto która które który lub ma mam ' +
      'mi mnie mogę moje mój można na nam nas nie o od oraz państwo po przez przy są się ta tak te to u w was wasz we z za ze że',
  },
  {
    stopWords:
      'bạn bị các cái cho có của đã để được gì hay không là làm mà một nào này như những ở sao ra thế thì tôi trong từ và với về',
  },
  {
    stopWords:
      'از است این آن ای با باید برای به بود تا چرا چه چطور چگونه چیست در را شما شود کجا که من ما می نه هر هست هم و یا یک',
  },
  {
    stopWords:
      'آپ اس ان اور ایک با پر تو جو سے کا کب کر کہ کہاں کو کون کی کیا کیسے کے لیے میرا میری میرے میں نہیں نے ہم ہو ہوں ہے ہیں یا یہ',
  },
  {
    stopWords:
      'אבל או אחרי אל אם אנחנו אני את אתם גם האם היא הוא הם זה זאת יש כל כן לא לי לכם מה מי מתי על עם של איך איפה אפשר',
  },
  {
    stopWords:
      'अगर आप इस एक और कब कर का कि की के को कैसे कौन क्या कहाँ जो तक तो था थी ने नहीं पर भी मुझे मेरा मेरी में मैं यह या वह से हम हूँ है हैं हो',
  },
]

/** The stop words of Chinese and Japanese. Their texts may be within those of any language. */
export const unspacedStopWords =
  '的 了 吗 嗎 呢 吧 啊 我 你 您 他 她 它 我们 我們 你们 你們 是 在 有 和 与 與 或 也 都 就 不 怎么 怎麼 怎样 怎樣 如何 什么 什麼 哪 哪里 哪裡 哪些 ' +
  '为什么 為什麼 多少 几 幾 可以 能 会 會 要 想 请 請 请问 請問 这 這 那 个 個 一 个 如果 について ください でしょう ましょう'
