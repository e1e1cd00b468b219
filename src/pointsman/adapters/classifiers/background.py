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
"""

SENTENCES = tuple(line for line in (_CHINESE + _ENGLISH).splitlines() if line)
