"""Countries, provinces and large cities: how they are written, where they lie."""

PLACES = """
CN CHN China 中国 PRC|US USA United_States America 美国 U.S. United_States_of_America
GB UK United_Kingdom Britain England 英国|JP JPN Japan 日本|KR KOR South_Korea Korea 韩国
FR FRA France 法国|DE DEU Germany 德国|IT ITA Italy Italian 意大利|ES ESP Spain 西班牙
PT Portugal 葡萄牙|RU RUS Russia 俄罗斯|IN IND India 印度|BR BRA Brazil 巴西|CA CAN Canada 加拿大
AU AUS Australia 澳大利亚 澳洲|NZ New_Zealand 新西兰|MX MEX Mexico 墨西哥|AR Argentina 阿根廷
EG Egypt 埃及|ZA South_Africa 南非|TH THA Thailand 泰国|VN VNM Vietnam 越南
SG SGP Singapore 新加坡|MY Malaysia 马来西亚|ID Indonesia 印度尼西亚 印尼|PH Philippines 菲律宾
TR Turkey 土耳其|SA Saudi_Arabia 沙特 沙特阿拉伯|AE UAE 阿联酋|IL Israel 以色列|IR Iran 伊朗
CH Switzerland 瑞士|SE Sweden 瑞典|NO Norway 挪威|DK Denmark 丹麦|FI Finland 芬兰
NL Netherlands Holland 荷兰|BE Belgium 比利时|AT Austria 奥地利|GR Greece 希腊|PL Poland 波兰
UA Ukraine 乌克兰|IE Ireland 爱尔兰|CZ Czech 捷克|KE Kenya 肯尼亚|NG Nigeria 尼日利亚|PE Peru 秘鲁
CL Chile 智利|CO Colombia 哥伦比亚|CU Cuba 古巴|HU Hungary 匈牙利|Asia 亚洲|Europe 欧洲
Africa 非洲|North_America 北美 北美洲|South_America 南美 南美洲|Oceania 大洋洲|Antarctica 南极洲
Middle_East 中东|Southeast_Asia 东南亚|Latin_America 拉丁美洲 拉美|EU European_Union 欧盟
Global Worldwide 全球 世界|Beijing Peking 北京|Shanghai 上海|Guangzhou Canton 广州|Shenzhen 深圳
Chengdu 成都|Hangzhou 杭州|Chongqing 重庆|Tianjin 天津|Wuhan 武汉|Nanjing 南京|Xi'an Xian 西安
Suzhou 苏州|Qingdao 青岛|Dalian 大连|Xiamen 厦门|Changsha 长沙|Kunming 昆明|Harbin 哈尔滨
Shenyang 沈阳|Jinan 济南|Zhengzhou 郑州|Ningbo 宁波|Fuzhou 福州|Hefei 合肥|Sanya 三亚|Lhasa 拉萨
Urumqi 乌鲁木齐|Guilin 桂林|Lijiang 丽江|Dali 大理|Guiyang 贵阳|Nanning 南宁|Haikou 海口
Taiyuan 太原|Hong_Kong HK HKG 香港|Macau Macao 澳门|Taipei 台北|Taiwan TW 台湾|Zhuhai 珠海
Dongguan 东莞|Foshan 佛山|Wuxi 无锡|New_York NYC NY 纽约|Los_Angeles LA 洛杉矶
San_Francisco SF 旧金山|Chicago 芝加哥|Boston 波士顿|Seattle 西雅图
Washington Washington_D.C. 华盛顿|Las_Vegas 拉斯维加斯|Miami 迈阿密|Houston 休斯顿
Silicon_Valley 硅谷|Hawaii 夏威夷|London 伦敦|Paris 巴黎|Berlin 柏林|Rome 罗马|Madrid 马德里
Barcelona 巴塞罗那|Amsterdam 阿姆斯特丹|Vienna 维也纳|Moscow 莫斯科|Munich 慕尼黑
Frankfurt 法兰克福|Zurich 苏黎世|Geneva 日内瓦|Milan 米兰|Venice 威尼斯|Athens 雅典|Tokyo 东京
Osaka 大阪|Kyoto 京都|Seoul 首尔|Bangkok 曼谷|Sydney 悉尼|Melbourne 墨尔本|Dubai 迪拜
Toronto 多伦多|Vancouver 温哥华|Delhi New_Delhi 新德里|Mumbai 孟买|Cairo 开罗|Istanbul 伊斯坦布尔
Kuala_Lumpur 吉隆坡|Jakarta 雅加达|California CA 加州 加利福尼亚|Texas TX 德州 得克萨斯
Florida FL 佛罗里达|Hainan 海南|Sichuan 四川|Guangdong 广东|Yunnan 云南|Zhejiang 浙江|Jiangsu 江苏
Shandong 山东|Fujian 福建|Hunan 湖南|Hubei 湖北|Henan 河南|Hebei 河北|Tibet 西藏|Xinjiang 新疆
Inner_Mongolia 内蒙古|Guangxi 广西|Ningxia 宁夏|Qinghai 青海|Gansu 甘肃|Shaanxi 陕西|Shanxi 山西
"""

COORDINATES = """
beijing 39.90 116.41|shanghai 31.23 121.47|guangzhou 23.13 113.26|shenzhen 22.54 114.06
chengdu 30.57 104.07|hangzhou 30.27 120.15|chongqing 29.56 106.55|tianjin 39.13 117.20
wuhan 30.59 114.31|nanjing 32.06 118.80|xian 34.34 108.94|suzhou 31.30 120.58|qingdao 36.07 120.38
xiamen 24.48 118.09|changsha 28.23 112.94|kunming 25.04 102.72|harbin 45.80 126.53
shenyang 41.80 123.43|sanya 18.25 109.51|lhasa 29.65 91.17|hong kong 22.32 114.17
taipei 25.03 121.57|new york 40.71 -74.01|los angeles 34.05 -118.24|san francisco 37.77 -122.42
chicago 41.88 -87.63|boston 42.36 -71.06|seattle 47.61 -122.33|miami 25.76 -80.19
houston 29.76 -95.37|london 51.51 -0.13|paris 48.86 2.35|berlin 52.52 13.41|rome 41.90 12.50
madrid 40.42 -3.70|barcelona 41.39 2.17|amsterdam 52.37 4.90|vienna 48.21 16.37|moscow 55.76 37.62
athens 37.98 23.73|tokyo 35.68 139.65|osaka 34.69 135.50|kyoto 35.01 135.77|seoul 37.57 126.98
singapore 1.35 103.82|bangkok 13.76 100.50|sydney -33.87 151.21|melbourne -37.81 144.96
dubai 25.20 55.27|toronto 43.65 -79.38|vancouver 49.28 -123.12|delhi 28.61 77.21
mumbai 19.08 72.88|cairo 30.04 31.24|istanbul 41.01 28.98|jakarta -6.21 106.85
las vegas 36.17 -115.14
"""
"""City, latitude and longitude in degrees."""

INSIDE = {
    "us": "new york|los angeles|san francisco|chicago|boston|seattle|washington|las vegas|miami"
    "|houston"
    "|hawaii|california|texas|florida|silicon valley",
    "china": "beijing|shanghai|guangzhou|shenzhen|chengdu|hangzhou|chongqing|tianjin|wuhan"
    "|nanjing|xian|suzhou"
    "|qingdao|xiamen|changsha|kunming|sanya|guilin|hainan|sichuan|guangdong|yunnan|zhejiang|jiangsu",
    "uk": "london",
    "france": "paris",
    "germany": "berlin|munich|frankfurt",
    "italy": "rome|milan|venice",
    "spain": "madrid|barcelona",
    "japan": "tokyo|osaka|kyoto",
    "south korea": "seoul",
    "thailand": "bangkok",
    "australia": "sydney|melbourne",
    "canada": "toronto|vancouver",
    "russia": "moscow",
    "netherlands": "amsterdam",
    "india": "delhi|mumbai",
    "greece": "athens",
}
"""Country → places inside it."""
