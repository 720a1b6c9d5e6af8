import type { EmailTexts } from '../emailTexts.ts'
import type { BotTexts } from '../english.ts'

export const texts: BotTexts = {
  greeting: 'Xin chào!\nChúng tôi có thể giúp gì cho bạn?',
  hello: 'Xin chào {name}!',
  help: 'Tôi có thể giúp gì cho bạn?',
  welcome: 'Không có gì!',
  unknown: 'Rất tiếc, tôi không biết câu trả lời cho câu hỏi này.',
  topics: 'Bạn có thể hỏi tôi về một trong các chủ đề sau:',
  files: 'Cảm ơn bạn. Tôi không thể tự mở tệp.',
  person: 'Nói chuyện với nhân viên',
  apology: 'Rất tiếc, hiện tôi không thể trả lời. Tin nhắn của bạn đã được lưu: vui lòng thử lại.',
  retry: 'Thử lại',
  cutOff: '(Câu trả lời này bị ngắt trước khi kết thúc.)',
  tooMany: 'Số câu hỏi này vượt quá khả năng trả lời cùng lúc của tôi. Vui lòng đợi một phút rồi thử lại.',
  noMoreToday: 'Hôm nay tôi không thể trả lời thêm câu hỏi nào. Vui lòng thử lại vào ngày mai.',
}

export const emails: EmailTexts = {
  unread: 'Tin nhắn mới từ {name}',
  openChat: 'Mở cuộc trò chuyện',
  moreInChat: 'Còn có các tin nhắn khác trong cuộc trò chuyện.',
  unreadReason: 'Bạn nhận được email này vì có tin nhắn chưa đọc trong cuộc trò chuyện trên {site}.',
  unsubscribe: 'Ngừng nhận các email này',
  askUnsubscribe: 'Bạn có muốn ngừng nhận email về tin nhắn chưa đọc trong cuộc trò chuyện không?',
  unsubscribed: 'Bạn sẽ không còn nhận email về tin nhắn chưa đọc.',
  resubscribe: 'Nhận lại các email này',
  resubscribed: 'Bạn sẽ lại nhận được email về tin nhắn chưa đọc.',
  confirmAddress: 'Vui lòng xác nhận địa chỉ email của bạn',
  confirmHint: 'Sau đó, câu trả lời sẽ đến địa chỉ này. Nếu bạn không yêu cầu, bạn không cần làm gì.',
  confirm: 'Xác nhận địa chỉ',
  confirmReason: 'Bạn nhận được email này vì có người đã nhập địa chỉ này trong cuộc trò chuyện trên {site}.',
  askConfirm: 'Bạn có muốn nhận câu trả lời từ cuộc trò chuyện qua địa chỉ email của mình không?',
  confirmed: 'Xong. Câu trả lời sẽ đến với bạn tại đây.',
  linkEnded: 'Liên kết này không còn hoạt động.',
}
