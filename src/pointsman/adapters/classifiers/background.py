"""Sentences about anything: what people may say that is most likely none of an agent's intents.

Our own words. No greetings and no small talk: agents do have intents for those.
"""

_CHINESE = """
水在多少度会结冰
请解释一下光合作用的原理
谁写了红楼梦
唐朝是哪一年建立的
给我讲讲量子力学
三角形的内角和是多少
番茄炒蛋要放糖吗
怎么腌制泡菜
月亮为什么会有圆缺
世界上最高的山是哪座
把这句话翻译成法语
写一首关于秋天的诗
推荐几本科幻小说
为什么猫怕水
钢琴一共有多少个键
上一届世界杯冠军是谁
怎样才能跑得更快
狗一天要喂几次
帮我想一个公司的名字
恐龙是怎么灭绝的
圆周率的前十位是什么
素描入门要买什么笔
阳台上适合种什么菜
人一天需要睡几个小时
火星离地球有多远
如何练好毛笔字
怎样让皮肤变白
一公里等于多少英里
孩子发烧了可以洗澡吗
帮我写一段冒泡排序的代码
北极熊吃什么
地铁是哪一年发明的
吉他的和弦怎么按
我梦见自己在飞
昨晚的比赛谁赢了
石头剪刀布你出什么
糖尿病人能吃西瓜吗
什么是通货膨胀
宇宙有没有尽头
生命的意义是什么
定一个七点的闹钟
播放一首轻音乐
明天会下雨吗
导航去最近的加油站
把客厅的灯打开
提醒我下午三点开会
附近有什么好吃的
给妈妈打个电话
查一下明天去上海的机票
今天有什么新闻
把音量调小一点
现在几点了
二十五乘以四是多少
讲个笑话
今晚有什么电影
我的日程里有什么
帮我订一张双人桌
把空调调到二十六度
取消所有的闹钟
我的银行卡余额是多少
这个药一天吃几次
附近哪里可以停车
"""

_ENGLISH = """
at what temperature does water freeze
explain photosynthesis to a child
who painted the mona lisa
when did the roman empire fall
what is the square root of two hundred
how do i bake sourdough bread
why is the sky blue
which planet has the most moons
translate good morning into french
write a poem about autumn
recommend a science fiction novel
why do cats purr
how many strings does a violin have
who won the last world cup
how can i run faster
how often should i water a cactus
think of a name for my dog
what killed the dinosaurs
how far away is the moon
teach me how to juggle
how many miles are in a kilometre
what should i wear to a wedding
is coffee bad for your heart
write a function that sorts a list
what do polar bears eat
who invented the telephone
how do i play a g chord on guitar
i dreamt that i could fly
rock paper scissors, your turn
what causes inflation
is there life on other planets
what is the meaning of life
how do i get red wine out of a carpet
what is the capital of mongolia
summarise the plot of hamlet
how tall was napoleon
which vitamins are in spinach
how do volcanoes form
what is the best opening in chess
why do leaves change colour
wake me up at seven
play some relaxing music
will it rain tomorrow
take me to the nearest gas station
turn on the lights in the living room
remind me of the meeting at three
find a good restaurant around here
call my mother
look for a flight to denver tomorrow
what is in the news today
turn the volume down
what time is it in tokyo
what is twenty five times four
tell me a joke
which movies are on tonight
what is on my calendar
book a table for two
set the thermostat to seventy
cancel all my alarms
how much money is in my account
how often should i take this medicine
where can i park nearby
"""

_SIGNS = """
20480917
3.1415926
a7f3k9
asdf qwer zxcv
啊啊啊啊
……
???
http://example.org/page
"""

SENTENCES = tuple(line for line in (_CHINESE + _ENGLISH + _SIGNS).splitlines() if line)
