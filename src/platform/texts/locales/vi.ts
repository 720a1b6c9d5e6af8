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
