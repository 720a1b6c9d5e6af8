import type { EmailTexts } from '../emailTexts.ts'
import type { BotTexts } from '../english.ts'

export const texts: BotTexts = {
  greeting: '안녕하세요!\n무엇을 도와드릴까요?',
  hello: '{name} 님, 안녕하세요!',
  help: '무엇을 도와드릴까요?',
  welcome: '천만에요!',
  unknown: '죄송합니다. 그 질문에 대한 답을 모르겠습니다.',
  topics: '다음 주제에 대해 질문하실 수 있습니다:',
  files: '감사합니다. 저는 파일을 열 수 없습니다.',
  person: '상담원과 대화하기',
  apology: '죄송합니다. 지금은 답변하지 못했습니다. 메시지는 안전하게 저장되어 있으니 다시 시도해 주세요.',
  retry: '다시 시도',
  cutOff: '(이 답변은 끝나기 전에 중단되었습니다.)',
  tooMany: '한 번에 답변할 수 있는 양을 넘었습니다. 1분 후에 다시 시도해 주세요.',
  noMoreToday: '오늘은 더 이상 답변해 드릴 수 없습니다. 내일 다시 시도해 주세요.',
}

export const emails: EmailTexts = {
  unread: '{name} 님의 새 메시지',
  openChat: '채팅 열기',
  moreInChat: '채팅에 메시지가 더 있습니다.',
  unreadReason: '{site} 채팅에 읽지 않은 메시지가 있어 이 이메일을 보내 드립니다.',
  unsubscribe: '이 이메일 그만 받기',
  askUnsubscribe: '채팅의 읽지 않은 메시지에 대한 이메일을 그만 받으시겠습니까?',
  unsubscribed: '읽지 않은 메시지에 대한 이메일을 더 이상 보내지 않습니다.',
  resubscribe: '이 이메일 다시 받기',
  resubscribed: '읽지 않은 메시지에 대한 이메일을 다시 보내 드립니다.',
  confirmAddress: '이메일 주소를 확인해 주세요',
  confirmHint: '확인하시면 답변이 이 주소로 전달됩니다. 요청하지 않으셨다면 아무것도 하지 않으셔도 됩니다.',
  confirm: '주소 확인',
  confirmReason: '{site} 채팅에서 누군가 이 주소를 입력하여 이 이메일을 보내 드립니다.',
  askConfirm: '채팅 답변을 이메일 주소로 받으시겠어요?',
  confirmed: '완료되었습니다. 답변이 이곳으로 전달됩니다.',
  linkEnded: '이 링크는 더 이상 사용할 수 없습니다.',
}
