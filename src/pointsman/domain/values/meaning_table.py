"""The words of choices that mean the same: groups between bars, words between spaces, ``_`` for a
space inside a word."""

MEANINGS = """
low 低 低级 较低 偏低 轻度 少|medium moderate mid average normal 中 中等 中度 中级 一般 适中
high 高 高级 较高 偏高 重度 很高 严重|none 无 没有 不需要|easy simple 简单 容易 初级
hard difficult 困难 难 高难度|basic 基础 基本 普通 初级 标准|advanced 高级 进阶 深入 高阶
expert professional 专家 专业 资深|beginner novice entry starter 初学者 初级 新手 入门 零基础
intermediate 中级 中等|comprehensive full complete 全面 综合 完整 详尽
detailed detail 详细 详尽 细致|summary brief short concise 摘要 概要 简要 简短 概述
deep thorough 深度 深入 彻底 深层|surface shallow 浅 表面|quick fast rapid 快 快速 迅速 尽快
slow 慢 缓慢|daily everyday day 每天 每日 日 天天 按天|weekly week 每周 周 每星期 按周
monthly month 每月 月度 月 按月|yearly annual annually year 每年 年度 年|hourly hour 每小时 小时
quarterly 每季 季度|biweekly bi-weekly fortnightly 双周 每两周|once one-time 一次 一次性 单次
regular regularly 定期 经常|always 总是 一直|never 从不|often 经常|sometimes 有时
morning am 早上 上午 早晨 早间|noon midday 中午|afternoon pm 下午 午后
evening tonight 今晚 晚上 傍晚 晚间|night nighttime tonight 今晚 夜里 夜间 夜晚 晚上 深夜
spring 春 春季 春天|summer 夏 夏季 夏天|autumn fall 秋 秋季 秋天|winter 冬 冬季 冬天
immediate immediately instant now asap 立即 马上 立刻 尽快 现在
scheduled schedule later 定时 预约 计划 稍后|urgent emergency 紧急 加急 急|priority 优先
text textual written 文本 文字 文档|image picture photo 图片 图像 照片|video 视频
audio sound voice 音频 声音 语音|file document 文件 文档|infographic 信息图 图表
email mail e-mail 邮件 邮箱 电子邮件 邮寄|sms message 短信
phone telephone call mobile 电话 手机 来电|wechat 微信|app application 应用 应用程序
web website online 网页 网站 网上 在线 线上|push notification 推送 通知
offline in-person onsite 线下 现场 当面|virtual 虚拟|remote 远程|hybrid 混合
play start begin launch 播放 开始 启动|pause 暂停|stop end 停止 结束 停|next 下一首 下一个 下一曲
previous last 上一首 上一个 上一曲|resume continue 继续 恢复|repeat 重复 循环
on open enable enabled activate 开 打开 开启 启用
off close closed disable disabled shut 关 关闭 关掉 停用|add create new 添加 新增 新建 创建 增加
delete remove 删除 移除 去掉|update modify edit change 更新 修改 更改 编辑|lock 锁定 锁
unlock 解锁|increase up raise 增加 提高 升高 调高|decrease down reduce lower 减少 降低 调低
cancel 取消|confirm 确认|approve approved 批准 通过 已批准
reject rejected decline denied 拒绝 驳回 未通过
pending waiting 待审批 待处理 待定 等待 待审核 处理中|completed complete done finished 完成 已完成
active 活跃 激活 生效 进行中|inactive 未激活 停用 不活跃|progress processing ongoing 进行中 处理中
failed failure 失败|success successful 成功|shipped 已发货|delivered 已送达 已签收
paid 已支付 已付款|unpaid 未支付 未付款|refund 退款|return 退货 退回|exchange 换货 交换
ascending asc 升序 从低到高 从小到大 递增|descending desc 降序 从高到低 从大到小 递减
newest latest recent 最新 最近|oldest 最早 最旧|popular popularity 热门 人气 流行
relevance 相关 相关性|walking walk foot 步行 走路 徒步
driving drive car 驾车 开车 自驾 驾驶 汽车 轿车
bicycling cycling bike bicycle 骑行 骑车 自行车 单车|transit public 公交 公共交通
bus 公交 公交车 巴士 大巴|train rail 火车 高铁 动车 列车|subway metro 地铁
plane flight air airplane 飞机 航班 空运|taxi cab 出租车 打车 的士|ship sea boat 船 轮船 海运
truck 卡车 货车|car vehicle automobile 车 汽车 轿车 车型 型车|motorcycle 摩托车 摩托|small 小 小型
large big 大 大型|economy 经济舱 经济|business 商务舱 商务 商业 企业|first 头等舱 头等 首 第一
single one-way oneway 单程 单人 单身|round-trip roundtrip return 往返|double twin 双人 双床 双
family 家庭 亲子 家人|suite 套房|standard 标准 普通|premium vip 高级 尊享 优质 贵宾
luxury 豪华 奢华|budget cheap 经济 便宜 实惠 低价|hiking 徒步 远足 登山|picnic 野餐
running run jogging 跑步|swimming swim 游泳|yoga 瑜伽|fitness gym 健身|camping 露营|fishing 钓鱼
skiing 滑雪|basketball 篮球|football soccer 足球|tennis 网球|badminton 羽毛球
sports sport 体育 运动|male man men boy 男 男性 男士 男生
female woman women girl 女 女性 女士 女生|adult 成人 成年人|child children kids 儿童 小孩 孩子
teen teenager 青少年|senior elderly 老人 老年 老年人|infant baby 婴儿|student 学生
teacher 教师 老师|patient 患者 病人|red 红 红色 红酒 红葡萄酒|white 白 白色|blue 蓝 蓝色
green 绿 绿色|yellow 黄 黄色|black 黑 黑色|purple 紫 紫色|orange 橙 橙色|pink 粉 粉色 粉红
gray grey 灰 灰色|brown 棕 棕色|gold golden 金 金色|silver 银 银色|colorful 彩色 多彩
light bright 浅色 明亮 亮|dark 深色 暗 黑暗 深色模式|warm 暖 温暖 暖色|cold cool 冷 凉 冷色
hot 热 炎热|dry 干 干燥 干性|wet humid moist 湿 潮湿 湿润|oily 油 油性|sensitive 敏感
mild 温和 轻微|sunny clear 晴 晴天 晴朗|rainy rain 雨 下雨 雨天 雨声|snowy snow 雪 下雪
cloudy 多云 阴天 阴|windy wind 风 大风|ocean sea 海 海洋 海浪|forest 森林|mountain 山 山地
city urban 城市 市区 都市|rural countryside 农村 乡村|beach 海滩 沙滩|indoor inside 室内
outdoor outside 户外 室外|home house 家 家里 住宅 家庭|office 办公室 办公|school 学校
hospital 医院|hotel 酒店 宾馆 旅馆|restaurant 餐厅 饭店 餐馆|store shop 商店 店铺|park 公园
airport 机场|station 车站|breakfast 早餐 早饭|lunch 午餐 午饭|dinner supper 晚餐 晚饭
vegetarian 素食|vegan 纯素|spicy 辣 麻辣|sweet 甜|salty 咸|seafood 海鲜|meat 肉 肉类
vegetable 蔬菜|fruit 水果|cheese 奶酪 芝士|coffee 咖啡|tea 茶|wine 葡萄酒 酒|beer 啤酒
water 水 水溶液|chinese zh zh-cn mandarin 中文 汉语 普通话 中国 中式 中餐 国语
english en 英文 英语 英国|french fr 法语 法文 法国 法式|german de 德语 德文 德国
spanish es 西班牙语|japanese ja 日语 日文 日式 日本|korean ko 韩语 韩文 韩国 韩式|russian ru 俄语
italian it 意大利语 意大利 意式|thai th 泰语 泰文 泰式|arabic ar 阿拉伯语|portuguese pt 葡萄牙语
usd dollar dollars 美元 美金 $|cny rmb yuan 人民币 元 块 ¥|eur euro euros 欧元 €
gbp pound pounds 英镑 £|jpy yen 日元|hkd 港币 港元|cash 现金|credit_card credit card 信用卡
debit_card debit 借记卡 储蓄卡|alipay 支付宝|wechat_pay wechatpay 微信支付
bank_transfer transfer 银行转账 转账|paypal 贝宝|apple aapl 苹果|google goog googl alphabet 谷歌
microsoft msft 微软|amazon amzn 亚马逊|facebook meta 脸书|tesla tsla 特斯拉|nvidia nvda 英伟达
netflix nflx 奈飞|intel intc 英特尔|twitter 推特|youtube 油管|alibaba baba 阿里巴巴 阿里
tencent tcehy 腾讯|baidu 百度|huawei 华为|xiaomi 小米|samsung 三星|yahoo 雅虎|bloomberg 彭博
reuters 路透|finance financial 金融 财经 财务|art arts artistic 艺术 美术|history historical 历史
music musical 音乐|literature literary 文学|science scientific 科学
technology tech technical 科技 技术|medicine medical health healthcare 医疗 医学 健康 医药
education educational 教育|entertainment 娱乐|culture cultural 文化
economics economic economy 经济|politics political 政治|law legal 法律
environment environmental 环境 环保|social society 社会 社交|military 军事|agriculture 农业
manufacturing 制造 制造业|energy 能源 能量|retail 零售|real_estate property estate 房地产 房产
industrial industry 工业 行业|travel tourism 旅行 旅游|food 食品 食物 美食 餐饮|fashion 时尚 服装
game gaming 游戏|movie film cinema 电影 影片|book 书 书籍 图书|news 新闻|novel fiction 小说
poetry poem 诗 诗歌|painting 绘画 画|dance 舞蹈|photography 摄影|comedy 喜剧|action 动作
romance 爱情 浪漫|horror 恐怖|documentary 纪录片 文档|sci-fi science-fiction 科幻
cubism 立体派 立体主义|impressionism 印象派 印象主义|abstract 抽象|realism 写实 现实主义
modern contemporary 现代 当代|classical classic traditional 古典 经典 传统|formal 正式
informal casual 非正式 日常 随意 口语|creative 创意|humorous funny 幽默|stressed stress 压力 紧张
anxious anxiety 焦虑|depressed depression 抑郁 沮丧|calm relaxed 平静 放松 冷静
happy joy 开心 快乐 高兴|sad sadness 悲伤 难过|angry anger 愤怒 生气|good well fine 良好 好 健康
bad poor 差 不好|excellent great 优秀 极好|growth 成长 成长型 增长|value 价值 价值型
dividend 股息 分红|stock stocks equity 股票|bond bonds 债券|fund 基金
crypto cryptocurrency 加密货币|conservative 保守 稳健|aggressive 激进
short-term short_term short 短期|long-term long_term long 长期|medium-term medium_term 中期
auto automatic automated automatically 自动|manual manually 手动 人工
custom customized personalized 自定义 定制 个性化|default 默认|balanced balance 平衡 均衡
eco economical energy-saving 经济模式 节能 环保|performance 性能 表现|smart intelligent 智能
digital electronic ebook 数字 数字式 电子 电子书|analog 模拟 模拟式
print printed paper physical 纸质 印刷 实体|internal 内部|external 外部|public 公开 公共
private 私人 私有 私密|local 本地 当地 地方|global international worldwide 全球 国际
domestic national 国内 全国|regional region 区域 地区|personal 个人|group team 团队 团体 小组
company corporate enterprise 公司 企业|likes like 点赞 喜欢|comments comment 评论
shares share 分享 转发|views view 浏览 观看|follow followers 关注 粉丝|seismic earthquake 地震
magnetic 磁场 磁|gravitational gravity 引力 重力|temperature 温度 气温|humidity 湿度
rainfall precipitation 降水 降雨 雨量|wind_speed 风速|open_source open-source 开源
subscription 订阅|perpetual 永久|free 免费|paid 付费 收费|trial 试用|yes true 是 是的 要 需要 好
no false 否 不 不是 不要 不用|all every any both 全部 所有 都 各|other others 其他 其它
unknown 未知|white_noise white noise 白噪声 白噪音|pots pot cookware 锅 锅具|knives knife 刀 刀具
utensils utensil 餐具 厨具|router 路由器|laptop notebook 笔记本 笔记本电脑|computer pc 电脑 计算机
tablet 平板|camera 摄像头 相机|sensor 传感器|printer 打印机|device 设备|furniture 家具
clothing clothes 衣服 服装|shoes shoe footwear 鞋 鞋子|toys toy 玩具|jewelry 珠宝
electronics electronic 电子 电子产品|monday mon 周一 星期一 礼拜一|tuesday tue 周二 星期二 礼拜二
wednesday wed 周三 星期三 礼拜三|thursday thu 周四 星期四 礼拜四|friday fri 周五 星期五 礼拜五
saturday sat 周六 星期六 礼拜六|sunday sun 周日 周天 星期日 星期天 礼拜天|january jan 一月 1月
february feb 二月 2月|march mar 三月 3月|april apr 四月 4月|may 五月 5月|june jun 六月 6月
july jul 七月 7月|august aug 八月 8月|september sep 九月 9月|october oct 十月 10月
november nov 十一月 11月|december dec 十二月 12月|kilometers kilometer km 公里 千米
miles mile 英里|meters meter m 米|celsius c 摄氏 摄氏度 ℃|fahrenheit f 华氏 华氏度
kilograms kg 公斤 千克|pounds lb 磅|hours hour 小时|minutes minute 分钟|days 天|weeks 周
months 个月|question 问题 疑问 咨询|complaint 投诉|suggestion 建议|bug defect 故障 缺陷 错误
feature 功能|request 请求 需求|order 订单|invoice 发票|payment 支付 付款
delivery shipping logistics 物流 配送 快递 发货|account 账户 账号|password 密码|login 登录
service 服务|product 产品 商品|quality 质量|price 价格|discount 折扣|sales 销售
marketing 市场 营销 市场营销|hr human_resources 人事 人力资源|it 信息技术|engineering 工程 研发
support 支持 客服|management 管理|research 研究 调研|development 开发 发展|design 设计
training 培训 训练|meeting conference 会议|interview 面试 采访|review 评审 审查 评价
report 报告 报表|analysis 分析|planning plan 计划 规划|annual_leave vacation 年假 休假
sick_leave sick 病假|personal_leave 事假|marriage_leave 婚假|maternity_leave maternity 产假
trip business_trip 出差
"""
